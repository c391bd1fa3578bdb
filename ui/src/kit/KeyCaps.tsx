import { Fragment } from "react";
import { keyParts, spoken } from "./keys";

/** A shortcut such as `Mod+K`, key by key. */
export function KeyCaps({ keys }: { keys: string }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-0.5 whitespace-nowrap">
      {keyParts(keys).map((part, at) => (
        <Fragment key={part}>
          {at > 0 && <span className="sr-only"> + </span>}
          <kbd className="inline-flex h-[18px] min-w-[18px] items-center justify-center rounded border border-line-strong bg-sunken px-1 font-sans text-xs text-text">
            {spoken(part) === part ? (
              part
            ) : (
              <>
                <span aria-hidden>{part}</span>
                <span className="sr-only">{spoken(part)}</span>
              </>
            )}
          </kbd>
        </Fragment>
      ))}
    </span>
  );
}
