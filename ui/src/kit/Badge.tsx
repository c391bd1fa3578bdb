import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./cx";

/** A word or two with a mark, in a tone of its own; what it means on hover. */
export function Badge({ icon: Icon, title, tone, children }: {
  icon: LucideIcon;
  title: string;
  tone: string;
  children: ReactNode;
}) {
  return (
    <span
      title={title}
      className={cx("inline-flex h-[18px] shrink-0 items-center gap-1 rounded px-1.5 text-xs font-medium", tone)}
    >
      <Icon size={11} aria-hidden />
      {children}
    </span>
  );
}
