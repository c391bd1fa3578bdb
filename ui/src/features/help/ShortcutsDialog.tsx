import { Dialog } from "../../kit/Dialog";
import { KeyCaps } from "../../kit/KeyCaps";
import { SHORTCUTS, WHERES, type Where } from "../../store/keys";

function Group({ where }: { where: Where }) {
  return (
    <section aria-label={where}>
      <h3 className="mb-1 font-semibold">{where}</h3>
      <dl className="flex flex-col">
        {SHORTCUTS.filter((shortcut) => shortcut.where === where).map(({ keys, does }) => (
          <div key={does} className="flex min-h-7 items-center gap-3 border-b border-line py-1 last:border-0">
            <dt className="min-w-0 flex-1">{does}</dt>
            <dd className="flex shrink-0 flex-wrap items-center justify-end gap-1">
              {keys.map((each, at) => (
                <span key={each} className="inline-flex items-center gap-1">
                  {at > 0 && <span className="text-sm text-soft">or</span>}
                  <KeyCaps keys={each} />
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Every shortcut, by where it works. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const column = (wheres: readonly Where[]) => (
    <div className="flex flex-col gap-4">
      {wheres.map((where) => (
        <Group key={where} where={where} />
      ))}
    </div>
  );
  return (
    <Dialog title="Keyboard shortcuts" width="w-[760px]" reading onClose={onClose}>
      <div className="grid grid-cols-1 gap-x-8 gap-y-4 min-[620px]:grid-cols-2">
        {column(WHERES.filter((where) => where !== "In the list"))}
        {column(["In the list"])}
      </div>
    </Dialog>
  );
}
