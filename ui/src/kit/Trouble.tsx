import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./cx";

/** What went wrong and what to try, beside the thing it concerns. */
export function Trouble({
  message,
  hints = [],
  children,
  id,
  className,
}: {
  message: string;
  hints?: readonly string[];
  children?: ReactNode;
  id?: string;
  className?: string;
}) {
  return (
    <div
      role="alert"
      id={id}
      data-selectable
      className={cx("flex gap-2 rounded-md bg-danger-soft px-3 py-2 text-text", className)}
    >
      <CircleAlert size={15} aria-hidden className="mt-px shrink-0 text-danger" />
      <div className="min-w-0 flex-1 break-words">
        <p className="font-medium">{message}</p>
        {hints.length > 0 && (
          <ul className="mt-1 flex flex-col gap-0.5 text-sm">
            {hints.map((hint) => (
              <li key={hint}>{hint}</li>
            ))}
          </ul>
        )}
        {children}
      </div>
    </div>
  );
}
