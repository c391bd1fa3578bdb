import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import type { ApiError } from "../backend/backend";

const manager = Toast.createToastManager();

/** Says something in passing, in the corner; with `undo` or another action for as long as it stands there. */
export function say(title: string, options: { detail?: string; action?: { label: string; run: () => void } } = {}) {
  const { detail, action } = options;
  const id = manager.add({
    title,
    description: detail,
    timeout: action === undefined ? 5_000 : 10_000,
    ...(action === undefined
      ? {}
      : {
          actionProps: {
            children: action.label,
            onClick: () => {
              manager.close(id);
              action.run();
            },
          },
        }),
  });
}

/** Says that something went wrong that has no place of its own on the screen. */
export function complain(error: ApiError) {
  manager.add({
    title: error.message,
    description: error.hints.join(" "),
    type: "trouble",
    priority: "high",
    timeout: 12_000,
  });
}

/** Takes every message off the screen. */
export function hush() {
  manager.close();
}

function Messages() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      swipeDirection={["right", "down"]}
      className="appear pointer-events-auto w-[340px] rounded-lg border border-line bg-raised shadow-lift data-[type=trouble]:border-danger"
    >
      <Toast.Content className="flex items-start gap-3 py-2.5 pr-2 pl-3.5">
        <div className="min-w-0 flex-1 py-1 break-words">
          <Toast.Title className="font-medium" render={<div />} />
          <Toast.Description className="mt-0.5 text-sm text-soft" render={<div />} />
        </div>
        <Toast.Action className="h-7 shrink-0 rounded-md px-2 font-medium text-accent hover:bg-hover" />
        <Toast.Close
          aria-label="Dismiss"
          className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover"
        >
          <X size={14} aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}

export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      {children}
      <Toast.Portal>
        <Toast.Viewport className="pointer-events-none fixed right-4 bottom-4 z-50 flex flex-col gap-2">
          <Messages />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}
