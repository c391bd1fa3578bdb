import { CircleHelp, ScanSearch } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { apiError, type ApiError, type LookItem, type WorkspaceRef } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { cx } from "../../kit/cx";
import { Trouble } from "../../kit/Trouble";
import { useBackend } from "../../store/context";

type Look = { is: "none" } | { is: "looking" } | { is: "seen"; items: readonly LookItem[] } | { is: "failed"; error: ApiError };

/** What only a walk through a workspace tells, looked at when it is wanted. */
export function Closer({ id }: { id: WorkspaceRef }) {
  const backend = useBackend();
  const [look, setLook] = useState<Look>({ is: "none" });
  const wanted = useRef(true);
  useEffect(() => {
    wanted.current = true;
    return () => {
      wanted.current = false;
    };
  }, []);
  const begin = () => {
    setLook({ is: "looking" });
    backend.lookCloser(id).then(
      (items) => wanted.current && setLook({ is: "seen", items }),
      (thrown: unknown) => wanted.current && setLook({ is: "failed", error: apiError(thrown) }),
    );
  };
  return (
    <>
      <Button onClick={begin} disabled={look.is === "looking"}>
        <ScanSearch size={14} aria-hidden />
        {look.is === "looking" ? "Looking…" : look.is === "none" ? "Look closer" : "Look again"}
      </Button>
      {look.is === "none" && (
        <p className="mt-1.5 text-sm text-soft">
          Whether it is merged, what is hidden or ignored in it, who works in it and how large it is. Nothing is changed.
        </p>
      )}
      {look.is === "failed" && (
        <div className="mt-2">
          <Trouble message={look.error.message} hints={look.error.hints} />
        </div>
      )}
      {look.is === "seen" && (
        <dl aria-label="What was seen" className="mt-2 flex flex-col gap-1.5" data-selectable>
          {look.items.map((item) => (
            <div key={item.name}>
              <dt className="text-sm text-soft">{item.name}</dt>
              <dd className={cx("min-w-0 wrap-anywhere", item.matters && "text-only")}>
                {item.known ? (
                  item.words
                ) : (
                  <span className="inline-flex items-center gap-1 text-soft">
                    <CircleHelp size={12} aria-hidden className="shrink-0" />
                    unknown: {item.words}
                  </span>
                )}
                {item.names.map((name) => (
                  <span key={name} className="block font-mono text-sm text-soft">
                    {name}
                  </span>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}
