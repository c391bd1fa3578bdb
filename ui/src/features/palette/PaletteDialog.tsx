import { Autocomplete } from "@base-ui/react/autocomplete";
import { Dialog as Base } from "@base-ui/react/dialog";
import { Search, type LucideIcon } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { VEIL } from "../../kit/Dialog";
import { KeyCaps } from "../../kit/KeyCaps";
import { useMarkedRows } from "../../store/context";
import type { PalettePage } from "../../store/view";
import { many } from "../../store/words";
import { rank, useOffers } from "./offers";

/** Something the palette offers. */
export interface Offer {
  readonly id: string;
  readonly part: string;
  readonly name: string;
  /** More to tell it by, and to be found by. */
  readonly detail: string;
  readonly keys: string | null;
  readonly icon: LucideIcon | null;
  readonly mark: ReactNode;
  readonly run: () => void;
}

/** As many are shown at once; nobody reads more. */
const SHOWN = 60;

const ASKS: Record<PalettePage, string> = {
  everything: "What do you want to do, or which workspace?",
  group: "Into which group?",
  tag: "Which tag?",
  host: "On which host?",
};

/** What is said where nothing is typed and there is nothing to choose. */
const NOTHING: Record<PalettePage, string> = {
  everything: "Mark a workspace, or type what you look for.",
  group: "Mark workspaces in the list first.",
  tag: "Type a tag; it is made when you choose it.",
  host: "There is no other host. Add one in the side bar.",
};

/** Every action and every workspace, by a few letters. */
export function PaletteDialog({ page, onClose }: { page: PalettePage; onClose: () => void }) {
  const [text, setText] = useState("");
  const offers = useOffers(page, text);
  const marked = useMarkedRows();
  const shown = useMemo(() => rank(offers, text).slice(0, SHOWN), [offers, text]);
  const parts = useMemo(() => {
    const names = [...new Set(shown.map((offer) => offer.part))];
    return names.map((value) => ({ value, items: shown.filter((offer) => offer.part === value) }));
  }, [shown]);
  const run = (offer: Offer) => {
    // What it opens comes after this is gone, and takes the focus.
    onClose();
    offer.run();
  };
  const about = page === "everything" || marked.length === 0 ? null : marked.length === 1 ? marked[0]?.name : many(marked.length, "workspace", "workspaces");
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={VEIL} />
        <Base.Popup
          aria-label={page === "everything" ? "Commands" : ASKS[page]}
          className="appear fixed top-[12vh] left-1/2 z-40 flex max-h-[70vh] w-[560px] max-w-[calc(100vw-48px)] -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-lift outline-none"
        >
          <Autocomplete.Root
            inline
            open
            autoHighlight="always"
            mode="none"
            items={parts}
            value={text}
            onValueChange={setText}
            itemToStringValue={(offer: Offer) => offer.name}
          >
            <div className="flex items-center gap-2 border-b border-line px-3.5">
              <Search size={15} aria-hidden className="shrink-0 text-soft" />
              {about !== null && (
                <span className="max-w-[160px] shrink-0 truncate rounded bg-press px-1.5 text-sm">{about}</span>
              )}
              <Autocomplete.Input
                aria-label={ASKS[page]}
                placeholder={ASKS[page]}
                spellCheck={false}
                className="h-11 min-w-0 flex-1 bg-transparent outline-none"
              />
            </div>
            <Autocomplete.Empty className="empty:hidden">
              <p className="px-4 py-6 text-center text-soft">
                {text.trim() === "" ? NOTHING[page] : "Nothing is called like that."}
              </p>
            </Autocomplete.Empty>
            <Autocomplete.List className="min-h-0 flex-1 overflow-y-auto p-1 empty:hidden">
              {(part: { value: string; items: readonly Offer[] }) => (
                <Autocomplete.Group key={part.value} items={part.items} className="pb-1">
                  <Autocomplete.GroupLabel className="px-2 pt-1.5 pb-0.5 text-xs font-medium text-soft">
                    {part.value}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(offer: Offer) => (
                      <Autocomplete.Item
                        key={offer.id}
                        value={offer}
                        onClick={() => run(offer)}
                        className="flex h-8 items-center gap-2 rounded-md px-2 outline-none data-[highlighted]:bg-chosen data-[highlighted]:text-chosen-text"
                      >
                        {offer.icon !== null && <offer.icon size={14} aria-hidden className="shrink-0" />}
                        {offer.mark}
                        <span className="min-w-0 shrink-0 max-w-[60%] truncate">{offer.name}</span>
                        <span className="min-w-0 flex-1 truncate text-sm text-soft">{offer.detail}</span>
                        {offer.keys !== null && <KeyCaps keys={offer.keys} />}
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
