import { Menu as Base } from "@base-ui/react/menu";
import { ChevronDown, Ellipsis } from "lucide-react";
import type { ComponentProps, ReactNode } from "react";
import { cx } from "./cx";

/** What a menu shows while it is open. */
function Items({ align, children }: { align: "start" | "end"; children: ReactNode }) {
  return (
    <Base.Portal>
      <Base.Positioner sideOffset={4} align={align} className="z-40">
        <Base.Popup className="appear min-w-44 rounded-lg border border-line bg-raised p-1 shadow-lift outline-none">
          {children}
        </Base.Popup>
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

export function MenuItem({ danger = false, ...rest }: ComponentProps<typeof Base.Item> & { danger?: boolean }) {
  return (
    <Base.Item
      {...rest}
      className={cx(
        "flex h-7 items-center gap-2 rounded-md px-2 outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover",
        danger && "text-danger",
      )}
    />
  );
}

export function MenuLine() {
  return <Base.Separator className="my-1 h-px bg-line" />;
}
