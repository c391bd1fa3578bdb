import { useId, type ReactNode } from "react";
import type { FoundRow } from "../backend/backend";

const KINDS: Record<FoundRow["kind"], string> = {
  repository: "repository",
  bare: "bare repository",
  worktree: "worktree: brings its whole repository",
  linked: "its git directory lies elsewhere",
};

/** Something a search found, to tick. */
export function FoundLine({
  row,
  words = row.path,
  chosen,
  disabled = false,
  onChange,
}: {
  row: FoundRow;
  /** Where it is, as it is said here. */
  words?: string;
  chosen: boolean;
  disabled?: boolean;
  onChange: (chosen: boolean) => void;
}) {
  const id = useId();
  return (
    <li className="flex items-start gap-2.5 border-b border-line py-1.5 last:border-0">
      <input
        id={id}
        type="checkbox"
        className="mt-1 size-3.5 shrink-0 accent-accent"
        checked={chosen}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
      <label htmlFor={id} title={row.path} className="min-w-0 flex-1">
        <span className="block font-mono text-sm wrap-anywhere">{words}</span>
        <span className="block text-sm text-soft">{KINDS[row.kind]}</span>
      </label>
    </li>
  );
}

/** The folders a search could not look into. */
export function Unreadable({ paths, children }: { paths: readonly string[]; children?: ReactNode }) {
  if (paths.length === 0) return null;
  return (
    <div className="mt-2 rounded-md bg-sunken px-2.5 py-2 text-sm">
      <p className="font-medium">Could not be looked into</p>
      <ul data-selectable>
        {paths.map((path) => (
          <li key={path} className="font-mono wrap-anywhere">
            {path}
          </li>
        ))}
      </ul>
      {children}
    </div>
  );
}
