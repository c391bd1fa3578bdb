import { CircleHelp } from "lucide-react";
import type { ReactNode } from "react";

/** Says that something is not known; with why, where that was told. */
export function Unknown({ children = "unknown" }: { children?: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1 text-soft">
      <CircleHelp size={12} aria-hidden className="shrink-0" />
      {children}
    </span>
  );
}

/** A sign for what there is not, or is not known; `title` says which, in words. */
export function Unsaid({ title, children }: { title: string; children: ReactNode }) {
  return (
    <span className="text-soft" title={title}>
      <span aria-hidden>{children}</span>
      <span className="sr-only">{title}</span>
    </span>
  );
}
