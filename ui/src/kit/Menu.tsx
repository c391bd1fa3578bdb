import { Menu as Base } from "@base-ui/react/menu";
import { ContextMenu } from "@base-ui/react/context-menu";
import { Check, ChevronDown, ChevronRight, Ellipsis } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { cx } from "./cx";

const POPUP = "appear min-w-44 rounded-lg border border-line bg-raised p-1 shadow-lift outline-none";
const ITEM =
  "flex h-7 items-center gap-2 rounded-md px-2 outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover data-[popup-open]:bg-hover";

/** What a menu shows while it is open. */
function Items({ align, children }: { align: "start" | "end"; children: ReactNode }) {
  return (
    <Base.Portal>
      <Base.Positioner sideOffset={4} align={align} className="z-40">
        <Base.Popup className={POPUP}>{children}</Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  );
}

/** A button with three dots that opens a menu. */
export function MoreMenu({
  label,
  children,
  className,
  tabIndex,
}: {
  label: string;
  children: ReactNode;
  className?: string;
  tabIndex?: number;
}) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger
        aria-label={label}
        {...(tabIndex === undefined ? {} : { tabIndex })}
        className={cx(
          "inline-flex size-6 shrink-0 items-center justify-center rounded-md text-soft hover:bg-press hover:text-text data-[popup-open]:bg-press",
          className,
        )}
      >
        <Ellipsis size={15} aria-hidden />
      </Base.Trigger>
      <Items align="end">{children}</Items>
    </Base.Root>
  );
}

/** A button that shows a picture only and opens a menu. Its name is `label`. */
export function IconMenu({ label, icon, children }: { label: string; icon: ReactNode; children: ReactNode }) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger
        aria-label={label}
        title={label}
        className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-text data-[popup-open]:bg-press data-[popup-open]:text-text"
      >
        {icon}
      </Base.Trigger>
      <Items align="end">{children}</Items>
    </Base.Root>
  );
}

/** A button that opens a menu; what is in it is made when it opens. */
export function ButtonMenu({ label, icon, children }: { label: string; icon?: ReactNode; children: ReactNode }) {
  return (
    <Base.Root modal={false}>
      <Base.Trigger className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md border border-line-strong bg-raised px-2.5 hover:bg-[color-mix(in_srgb,var(--c-raised)_92%,var(--c-text))] data-[popup-open]:bg-press">
        {icon}
        {label}
        <ChevronDown size={13} aria-hidden className="text-soft" />
      </Base.Trigger>
      <Items align="start">{children}</Items>
    </Base.Root>
  );
}

export function MenuItem({
  danger = false,
  keys,
  children,
  ...rest
}: ComponentProps<typeof Base.Item> & {
  danger?: boolean;
  /** Its shortcut, for those who want to learn it. */
  keys?: string;
}) {
  return (
    <Base.Item {...rest} className={cx(ITEM, danger && "text-danger")}>
      {children}
      {keys !== undefined && (
        <span aria-hidden className="ml-auto pl-4 text-xs text-soft">
          {keys}
        </span>
      )}
    </Base.Item>
  );
}

const TICK = "ml-auto inline-flex pl-4 text-accent";

/** Something that is so or not; the menu stays open. */
export function MenuCheck({
  checked,
  onChange,
  disabled = false,
  children,
}: {
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
  children: ReactNode;
}) {
  return (
    <Base.CheckboxItem checked={checked} onCheckedChange={onChange} disabled={disabled} className={ITEM}>
      {children}
      <Base.CheckboxItemIndicator className={TICK}>
        <Check size={13} aria-hidden />
      </Base.CheckboxItemIndicator>
    </Base.CheckboxItem>
  );
}

/** One of several; `name` stands above them. */
export function MenuChoice<T extends string>({
  name,
  value,
  options,
  onChange,
}: {
  name: string;
  value: T;
  options: readonly (readonly [value: T, content: ReactNode])[];
  onChange: (value: T) => void;
}) {
  return (
    <Base.Group>
      <Base.GroupLabel className="px-2 pt-1 pb-0.5 text-xs font-medium text-soft">{name}</Base.GroupLabel>
      <Base.RadioGroup value={value} onValueChange={(chosen: T) => onChange(chosen)}>
        {options.map(([each, content]) => (
          <Base.RadioItem key={each} value={each} className={ITEM}>
            {content}
            <Base.RadioItemIndicator className={TICK}>
              <Check size={13} aria-hidden />
            </Base.RadioItemIndicator>
          </Base.RadioItem>
        ))}
      </Base.RadioGroup>
    </Base.Group>
  );
}

/** A menu in a menu. */
export function MenuMore({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <Base.SubmenuRoot>
      <Base.SubmenuTrigger className={ITEM}>
        {label}
        <ChevronRight size={13} aria-hidden className="ml-auto text-soft" />
      </Base.SubmenuTrigger>
      <Base.Portal>
        <Base.Positioner sideOffset={2} alignOffset={-5} className="z-40">
          <Base.Popup className={POPUP}>{children}</Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.SubmenuRoot>
  );
}

/** A menu that opens where the pointer is, or at what has the focus. What it offers is made when it opens. */
export function ContextArea({
  items,
  className,
  children,
  onOpen,
}: {
  items: ReactNode;
  className?: string;
  children: ReactNode;
  onOpen?: (open: boolean) => void;
}) {
  return (
    <ContextMenu.Root {...(onOpen === undefined ? {} : { onOpenChange: onOpen })}>
      <ContextMenu.Trigger className={className}>{children}</ContextMenu.Trigger>
      <ContextMenu.Portal>
        <ContextMenu.Positioner className="z-40">
          <ContextMenu.Popup className={POPUP}>{items}</ContextMenu.Popup>
        </ContextMenu.Positioner>
      </ContextMenu.Portal>
    </ContextMenu.Root>
  );
}

export function MenuLine() {
  return <Base.Separator className="my-1 h-px bg-line" />;
}
