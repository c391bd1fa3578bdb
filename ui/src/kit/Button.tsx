import type { ComponentProps, ReactNode } from "react";
import { cx } from "./cx";
import { Hint } from "./Hint";

type Look = "plain" | "primary" | "danger" | "quiet";

const LOOKS: Record<Look, string> = {
  plain:
    "border border-line-strong bg-raised text-text hover:bg-[color-mix(in_srgb,var(--c-raised)_92%,var(--c-text))]",
  primary: "border border-transparent bg-accent text-on-accent hover:bg-accent-strong font-medium",
  danger: "border border-transparent bg-danger text-page hover:opacity-90 font-medium",
  quiet: "border border-transparent text-soft hover:bg-hover hover:text-text",
};

export function Button({
  look = "plain",
  small = false,
  className,
  type = "button",
  ...rest
}: ComponentProps<"button"> & { look?: Look; small?: boolean }) {
  return (
    <button
      {...rest}
      // oxlint-disable-next-line react/button-has-type -- always one of the three, "button" unless told
      type={type}
      className={cx(
        "inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md whitespace-nowrap",
        "disabled:pointer-events-none disabled:opacity-50",
        small ? "h-6 px-2 text-sm" : "h-7 px-2.5",
        LOOKS[look],
        className,
      )}
    />
  );
}

/** A button that shows a picture only. Its name is `label`; `keys` is its shortcut, for the hint. */
export function IconButton({
  label,
  keys,
  children,
  className,
  ...rest
}: ComponentProps<"button"> & { label: string; keys?: string; children: ReactNode }) {
  return (
    <Hint text={label} keys={keys}>
      <button
        {...rest}
        type="button"
        aria-label={label}
        className={cx(
          "inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft",
          "hover:bg-hover hover:text-text disabled:opacity-50 aria-pressed:bg-press aria-pressed:text-text",
          className,
        )}
      >
        {children}
      </button>
    </Hint>
  );
}
