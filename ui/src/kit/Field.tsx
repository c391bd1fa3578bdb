import { useId, type ComponentProps, type ReactNode } from "react";
import { cx } from "./cx";

export const INPUT =
  "h-8 w-full rounded-md border border-line-strong bg-page px-2.5 text-text focus-visible:border-accent focus-visible:outline-1 focus-visible:outline-offset-0 aria-[invalid=true]:border-danger disabled:opacity-60";

/** A labelled line of input. */
export function TextField({
  label,
  help,
  className,
  ...rest
}: ComponentProps<"input"> & { label: string; help?: ReactNode }) {
  const id = useId();
  return (
    <div className={cx("flex flex-col gap-1", className)}>
      <label htmlFor={id} className="text-sm font-medium text-soft">
        {label}
      </label>
      <input
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        {...rest}
        id={id}
        className={INPUT}
        {...(help === undefined ? {} : { "aria-describedby": rest["aria-describedby"] ?? `${id}-help` })}
      />
      {help !== undefined && (
        <p id={`${id}-help`} className="text-sm text-soft">
          {help}
        </p>
      )}
    </div>
  );
}

/** A labelled choice of one among few. */
export function SelectField<T extends string>({
  label,
  help,
  className,
  value,
  options,
  onChange,
}: {
  label: string;
  help?: ReactNode;
  className?: string;
  value: T;
  options: readonly (readonly [value: T, text: string])[];
  onChange: (value: T) => void;
}) {
  const id = useId();
  return (
    <div className={cx("flex flex-col gap-1", className)}>
      <label htmlFor={id} className="text-sm font-medium text-soft">
        {label}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => {
          const chosen = options.find(([each]) => each === event.target.value);
          if (chosen !== undefined) onChange(chosen[0]);
        }}
        className={INPUT}
        {...(help === undefined ? {} : { "aria-describedby": `${id}-help` })}
      >
        {options.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
      {help !== undefined && (
        <p id={`${id}-help`} className="text-sm text-soft">
          {help}
        </p>
      )}
    </div>
  );
}

/** A box to tick, with what it means beside it. */
export function CheckField({
  checked,
  onChange,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}) {
  return (
    <label className="flex items-start gap-2">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.5 size-3.5 shrink-0 accent-accent"
      />
      <span className="min-w-0">{children}</span>
    </label>
  );
}
