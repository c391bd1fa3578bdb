import { Image, Square, SquareCheck } from "lucide-react";
import { createContext, useContext, useMemo, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import { apiError } from "../backend/backend";
import { useBackend } from "../store/context";
import { cx } from "./cx";
import { complain } from "./Toast";

/** Characters of a text that is read as Markdown; longer ones are shown as they were typed. */
const LONGEST = 20_000;
/** How deep elements may lie in each other: what draws them goes into each. Lists a hundred deep are within it. */
const DEEPEST = 320;
/** Marks of quotes and lists that a line may begin with, and columns it may be indented by. */
const MARKS = 120;
const COLUMNS = 480;
/** Levels that are indented; deeper ones would leave no room for words. */
const INDENTED = 6;

const Depth = createContext(0);

/** The address a link leads to, if it is one of the web. */
function webAddress(href: string | undefined): string | null {
  if (href === undefined) return null;
  try {
    const url = new URL(href);
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : null;
  } catch {
    return null;
  }
}

/** A link that opens in the system's browser; what leads elsewhere is only its words. */
function Link({ href, children }: { href: string | undefined; children: ReactNode }) {
  const backend = useBackend();
  const address = webAddress(href);
  if (address === null) return children;
  return (
    <a
      href={address}
      title={address}
      rel="noreferrer"
      draggable={false}
      className="rounded-sm text-accent underline underline-offset-2 hover:text-accent-strong"
      onClick={(event) => {
        event.preventDefault();
        backend.openAddress(address).catch((thrown: unknown) => complain(apiError(thrown)));
      }}
      // The middle button would ask the web view for another window.
      onAuxClick={(event) => event.preventDefault()}
    >
      {children}
    </a>
  );
}

function Deeper({ children }: { children: (depth: number) => ReactNode }) {
  const depth = useContext(Depth);
  return <Depth value={depth + 1}>{children(depth)}</Depth>;
}

function Heading({ children }: { children?: ReactNode }) {
  return <h4 className="font-semibold">{children}</h4>;
}

// Only what is named here reaches the page: no ids, no classes and no attributes of the text's own.
const COMPONENTS: Components = {
  a: ({ href, children, ...rest }) => ("data-footnote-backref" in rest ? null : <Link href={href}>{children}</Link>),
  img: ({ alt }) => (
    <span className="inline-flex items-center gap-1 text-soft">
      <Image size={12} aria-hidden className="shrink-0" />
      {alt !== undefined && alt !== "" ? alt : "an image"}
    </span>
  ),
  h1: ({ children }) => <h4 className="text-lg font-semibold">{children}</h4>,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
  p: ({ children }) => <p>{children}</p>,
  ul: ({ children, className }) => (
    <Deeper>
      {(depth) => {
        const tasks = className?.includes("contains-task-list") === true;
        const indented = depth < INDENTED && (!tasks || depth > 0);
        return (
          <ul
            className={cx(
              "flex flex-col gap-0.5",
              indented ? "pl-4" : "pl-0",
              tasks ? "list-none" : indented ? "list-disc" : "list-inside list-disc",
            )}
          >
            {children}
          </ul>
        );
      }}
    </Deeper>
  ),
  ol: ({ children, start }) => (
    <Deeper>
      {(depth) => (
        <ol
          start={start}
          className={cx("flex list-decimal flex-col gap-0.5", depth < INDENTED ? "pl-5" : "list-inside pl-0")}
        >
          {children}
        </ol>
      )}
    </Deeper>
  ),
  li: ({ children }) => <li>{children}</li>,
  input: ({ checked }) => {
    const Box = checked === true ? SquareCheck : Square;
    return (
      <span className="mr-1 inline-flex align-[-2px]">
        <Box size={13} aria-hidden className={checked === true ? "text-ok" : "text-soft"} />
        <span className="sr-only">{checked === true ? "done:" : "to do:"}</span>
      </span>
    );
  },
  blockquote: ({ children }) => (
    <Deeper>
      {(depth) => (
        <blockquote
          className={cx("flex flex-col gap-1.5 border-line-strong text-soft", depth < INDENTED && "border-l-2 pl-2.5")}
        >
          {children}
        </blockquote>
      )}
    </Deeper>
  ),
  pre: ({ children }) => (
    <pre className="overflow-x-auto rounded-md bg-sunken px-2.5 py-1.5 font-mono text-sm [&>code]:bg-transparent [&>code]:p-0">
      {children}
    </pre>
  ),
  code: ({ children }) => <code className="rounded bg-sunken px-1 font-mono text-sm">{children}</code>,
  em: ({ children }) => <em>{children}</em>,
  strong: ({ children }) => <strong className="font-semibold">{children}</strong>,
  del: ({ children }) => <del className="text-soft">{children}</del>,
  sup: ({ children }) => <sup className="text-xs">{children}</sup>,
  hr: () => <hr className="border-line" />,
  section: ({ children }) => <div className="flex flex-col gap-1.5 text-sm">{children}</div>,
  table: ({ children }) => (
    <div className="overflow-x-auto">
      <table className="border-collapse text-sm">{children}</table>
    </div>
  ),
  th: ({ children, style }) => (
    <th scope="col" style={style} className="border border-line bg-sunken px-2 py-0.5 text-left font-medium">
      {children}
    </th>
  ),
  td: ({ children, style }) => (
    <td style={style} className="border border-line px-2 py-0.5">
      {children}
    </td>
  ),
};

interface Nested {
  readonly children?: readonly Nested[];
}

/** Throws if elements lie too deep in each other. */
function shallow() {
  return (tree: Nested) => {
    let level: readonly Nested[] = [tree];
    for (let depth = 0; level.length > 0; depth += 1) {
      if (depth > DEEPEST) throw new RangeError("too deep");
      level = level.flatMap((node) => node.children ?? []);
    }
  };
}

/** Whether a line begins so deep in quotes, lists or blanks that to read it would take long. */
function isDeep(line: string): boolean {
  const begin = /^(?:[\s>*+-]|\d{1,9}[.)](?=\s))*/.exec(line)?.[0] ?? "";
  return begin.length > COLUMNS || (begin.match(/[>*+-]|\d+[.)]/g)?.length ?? 0) > MARKS;
}

function read(text: string): ReactNode {
  if (text.length > LONGEST || text.split("\n").some(isDeep)) return null;
  try {
    // It is a function without state of its own; called as one it can fail without taking the screen with it.
    return ReactMarkdown({
      children: text,
      components: COMPONENTS,
      remarkPlugins: [remarkGfm],
      rehypePlugins: [shallow],
    });
  } catch {
    return null;
  }
}

/**
 * What people wrote in Markdown, as it reads. Nothing in it runs or is loaded: HTML is shown as it was typed, images
 * are their words, and links of the web open in the system's browser. What cannot be read so is shown as it was typed.
 */
export function Markdown({ text, className }: { text: string; className?: string }) {
  const shown = useMemo(() => read(text), [text]);
  return (
    <div data-selectable className={cx("flex flex-col gap-1.5 wrap-anywhere", className)}>
      {shown ?? <p className="whitespace-pre-wrap">{text}</p>}
    </div>
  );
}
