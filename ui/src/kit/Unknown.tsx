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
