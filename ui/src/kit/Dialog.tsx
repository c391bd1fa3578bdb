import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { Button, IconButton } from "./Button";
import { cx } from "./cx";

export const VEIL = "fixed inset-0 z-30 bg-veil";
const POPUP =
  "appear fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100vh-48px)] max-w-[calc(100vw-48px)] -translate-x-1/2 -translate-y-1/2 flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-lift outline-none";

/** A dialog that is open for as long as it is rendered. One that is only read scrolls by keyboard. */
export function Dialog({
  title,
  description,
  width = "w-[480px]",
  reading = false,
  onClose,
  children,
  footer,
  initialFocus,
}: {
  title: string;
  description?: ReactNode;
  width?: string;
  reading?: boolean;
  onClose: () => void;
  children?: ReactNode;
  footer?: ReactNode;
  initialFocus?: RefObject<HTMLElement | null>;
}) {
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={VEIL} />
        <Base.Popup className={cx(POPUP, width)} {...(initialFocus === undefined ? {} : { initialFocus })}>
          <header className="px-5 pt-4 pr-12 pb-3">
            <Base.Title className="text-lg font-semibold">{title}</Base.Title>
            {description !== undefined && (
              <Base.Description className="mt-0.5 text-pretty text-soft" render={<div />}>
                {description}
              </Base.Description>
            )}
          </header>
          <div
            className="min-h-0 flex-1 overflow-y-auto px-5 pb-4 outline-offset-[-2px]"
            {...(reading ? { tabIndex: 0, role: "group", "aria-label": title } : {})}
          >
            {children}
          </div>
          {footer !== undefined && (
            <footer className="flex items-center justify-end gap-2 border-t border-line bg-sunken px-5 py-3">
              {footer}
            </footer>
          )}
          {/* Last, so that focus begins with what the dialog is about. */}
          <IconButton label="Close" onClick={onClose} className="absolute top-3 right-3">
            <X size={15} aria-hidden />
          </IconButton>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** Asks before something that cannot be undone. Escape and *Cancel* do nothing. */
export function Confirm({
  title,
  children,
  action,
  busy = false,
  onConfirm,
  onClose,
}: {
  title: string;
  children: ReactNode;
  action: string;
  busy?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}) {
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={VEIL} />
        <AlertDialog.Popup className={cx(POPUP, "w-[440px]")}>
          <div className="overflow-y-auto px-5 pt-4 pb-4">
            <AlertDialog.Title className="text-lg font-semibold">{title}</AlertDialog.Title>
            <AlertDialog.Description className="mt-2 flex flex-col gap-2 text-soft" render={<div />}>
              {children}
            </AlertDialog.Description>
          </div>
          <footer className="flex justify-end gap-2 border-t border-line bg-sunken px-5 py-3">
            <Button onClick={onClose}>Cancel</Button>
            <Button look="danger" disabled={busy} onClick={onConfirm}>
              {action}
            </Button>
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
