import { useState } from "react";
import { apiError, type ApiError, type RootRef } from "../../backend/backend";
import { Confirm } from "../../kit/Dialog";
import { say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry } from "../../store/context";

/** Asks before the roll call of a root ends; asks once more if notes, tags or pins would go with it. */
export function ReleaseDialog({ id, onClose }: { id: RootRef; onClose: () => void }) {
  const backend = useBackend();
  const { rootById, rows } = useRegistry();
  const [root] = useState(rootById.get(id));
  const [annotated, setAnnotated] = useState<ApiError | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const [busy, setBusy] = useState(false);
  const name = root?.name ?? "this root";
  const count = [...rows.values()].filter((row) => row.root === id).length;
  const release = () => {
    setBusy(true);
    setError(null);
    backend.releaseRoot(id, annotated !== null).then(
      () => {
        say(`${name} is released`, { detail: "Nothing on its host was touched." });
        onClose();
      },
      (thrown: unknown) => {
        setBusy(false);
        const reason = apiError(thrown);
        if (reason.code === "annotated" && annotated === null) setAnnotated(reason);
        else setError(reason);
      },
    );
  };
  return (
    <Confirm
      title={annotated === null ? `Release ${name}?` : "Lose what you wrote?"}
      action={annotated === null ? "Release" : "Release and discard notes"}
      busy={busy}
      onConfirm={release}
      onClose={onClose}
    >
      {annotated === null ? (
        <p>
          Rollcall stops calling its roll and drops {count === 1 ? "its 1 workspace" : `its ${count} workspaces`} from
          the list. Nothing on its host is touched.
        </p>
      ) : (
        <>
          <p className="font-medium text-danger">{annotated.message}</p>
          {annotated.hints.map((hint) => (
            <p key={hint}>{hint}</p>
          ))}
          <p>Notes, tags and pins of its workspaces cannot be had back.</p>
        </>
      )}
      {error !== null && <Trouble message={error.message} hints={error.hints} />}
    </Confirm>
  );
}
