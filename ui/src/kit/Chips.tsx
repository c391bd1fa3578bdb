import { X } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";

/** Tags as chips with a field for the next one. Enter and comma add, Backspace in the empty field removes. */
export function Chips({
  label,
  tags,
  suggestions,
  onChange,
}: {
  label: string;
  tags: readonly string[];
  suggestions: readonly string[];
  onChange: (tags: string[]) => void;
}) {
  const [text, setText] = useState("");
  const list = useId();
  const field = useRef<HTMLInputElement>(null);

  const add = (typed: string) => {
    const more = typed
      .split(",")
      .map((tag) => tag.trim())
      .filter((tag, index, all) => tag !== "" && !tags.includes(tag) && all.indexOf(tag) === index);
    setText("");
    if (more.length > 0) onChange([...tags, ...more]);
  };
  const remove = (tag: string) => {
    onChange(tags.filter((each) => each !== tag));
    field.current?.focus();
  };

  // A tag half typed when the screen is left is a tag.
  const leave = useRef<() => void>(() => {});
  useEffect(() => {
    leave.current = () => text.trim() !== "" && add(text);
  });
  useEffect(() => () => leave.current(), []);

  return (
    <div className="flex min-h-8 flex-wrap items-center gap-1 rounded-md border border-line-strong bg-page p-1 focus-within:border-accent">
      <ul aria-label={label} className="contents">
        {tags.map((tag) => (
          <li
            key={tag}
            className="flex h-[22px] max-w-full items-center gap-0.5 rounded bg-chosen pr-0.5 pl-1.5 text-sm text-chosen-text"
          >
            <span className="truncate">{tag}</span>
            <button
              type="button"
              aria-label={`Remove tag ${tag}`}
              onClick={() => remove(tag)}
              className="inline-flex size-4 items-center justify-center rounded hover:bg-press"
            >
              <X size={11} aria-hidden />
            </button>
          </li>
        ))}
      </ul>
      <input
        ref={field}
        aria-label="Add a tag"
        placeholder={tags.length === 0 ? "Add a tag" : ""}
        list={list}
        value={text}
        maxLength={64}
        spellCheck={false}
        autoComplete="off"
        className="h-[22px] min-w-16 flex-1 bg-transparent px-1 outline-none"
        onChange={(event) => (event.target.value.endsWith(",") ? add(event.target.value) : setText(event.target.value))}
        onBlur={() => add(text)}
        onKeyDown={(event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            add(text);
          } else if (event.key === "Escape" && text !== "") {
            event.stopPropagation();
            setText("");
          } else if (event.key === "Backspace" && text === "" && tags.length > 0) {
            onChange(tags.slice(0, -1));
          }
        }}
      />
      <datalist id={list} aria-hidden>
        {suggestions
          .filter((tag) => !tags.includes(tag))
          .map((tag) => (
            <option key={tag}>{tag}</option>
          ))}
      </datalist>
    </div>
  );
}
