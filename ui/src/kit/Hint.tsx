import { Tooltip } from "@base-ui/react/tooltip";
import type { ReactElement } from "react";

/** Says what a control does, and its shortcut, on hover and focus. */
export function Hint({ text, keys, children }: { text: string; keys?: string | undefined; children: ReactElement }) {
  return (
    <Tooltip.Root>
      <Tooltip.Trigger render={children} />
      <Tooltip.Portal>
        <Tooltip.Positioner sideOffset={6} className="z-50">
          <Tooltip.Popup className="rounded-md bg-text px-2 py-1 text-sm text-page shadow-lift">
            {text}
            {keys !== undefined && <span className="ml-2 opacity-75">{keys}</span>}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}

export const HintProvider = Tooltip.Provider;
