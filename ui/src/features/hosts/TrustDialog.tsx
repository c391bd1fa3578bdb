import { useState, type FormEvent } from "react";
import type { HostRef, KeyOffer } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { CheckField, TextField } from "../../kit/Field";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry } from "../../store/context";
import { useTask } from "../../store/task";

function Fingerprint({ label, children }: { label: string; children: string }) {
  return (
    <div>
      <dt className="text-sm text-soft">{label}</dt>
      <dd data-selectable className="mt-0.5 rounded-md bg-sunken px-2.5 py-1.5 font-mono text-sm wrap-anywhere">
        {children}
      </dd>
    </div>
  );
}

/** The key a host showed, for a person to compare. A changed one is replaced on a page of its own. */
export function TrustDialog({ id, onClose }: { id: HostRef; onClose: () => void }) {
  const host = useRegistry().hostById.get(id);
  const state = host?.state;
  const reason = state?.is === "needsYou" || state?.is === "waiting" ? state.reason : null;
  const [offer] = useState<{ code: string; key: KeyOffer } | null>(
    reason !== null && reason.key !== null ? { code: reason.code, key: reason.key } : null,
  );
  // A host on the way is called as it is there.
  const label = offer?.key.hop ?? host?.label ?? "the host";

  if (offer === null) {
    return (
      <Dialog title={`Key of ${label}`} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
        <p className="text-soft">No key is waiting for a decision any more.</p>
      </Dialog>
    );
  }
  return offer.code === "host_key_changed" ? (
    <ChangedKey id={id} label={label} typed={host?.label ?? ""} offer={offer.key} onClose={onClose} />
  ) : (
    <UnknownKey id={id} label={label} address={offer.key.hop ?? host?.address ?? ""} offer={offer.key} onClose={onClose} />
  );
}

function UnknownKey({
  id,
  label,
  address,
  offer,
  onClose,
}: {
  id: HostRef;
  label: string;
  address: string;
  offer: KeyOffer;
  onClose: () => void;
}) {
  const backend = useBackend();
  const [compared, setCompared] = useState(false);
  const { busy, error, run } = useTask();
  const trust = () => run(backend.trustHostKey(id, offer.fingerprint), onClose);
  return (
    <Dialog
      title={`Trust the key of ${label}?`}
      description={`${address} has not been seen before. Nothing was sent to it yet.`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Not now</Button>
          <Button look="primary" disabled={!compared || busy} onClick={trust}>
            Trust this key
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <dl className="flex flex-col gap-2.5">
          <Fingerprint label="Algorithm">{offer.algorithm}</Fingerprint>
          <Fingerprint label="SHA-256 fingerprint">{offer.fingerprint}</Fingerprint>
        </dl>
        <p className="text-soft">
          Compare it with what the host itself says, for instance with{" "}
          <code className="font-mono text-sm">ssh-keygen -lf</code> on its public host key, or with what its
          administrator gave you.
        </p>
        <CheckField checked={compared} onChange={setCompared}>
          This is the key of {label}; add it to my known hosts.
        </CheckField>
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </div>
    </Dialog>
  );
}

function ChangedKey({
  id,
  label,
  typed,
  offer,
  onClose,
}: {
  id: HostRef;
  label: string;
  /** What the person types to replace it. */
  typed: string;
  offer: KeyOffer;
  onClose: () => void;
}) {
  const [replacing, setReplacing] = useState(false);
  if (replacing) return <ReplaceKey id={id} label={label} typed={typed} offer={offer} onClose={onClose} />;
  const revoked = offer.known.length === 0;
  return (
    <Dialog
      title={`The key of ${label} has changed`}
      description="Rollcall does not connect. Someone may be answering in its place, or it was installed anew."
      onClose={onClose}
      footer={
        <>
          {!revoked && (
            <Button look="quiet" className="mr-auto" onClick={() => setReplacing(true)}>
              It was replaced…
            </Button>
          )}
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <dl className="flex flex-col gap-2.5">
          {revoked ? (
            <div>
              <dt className="text-sm text-soft">Known until now</dt>
              <dd className="mt-0.5">The key shown is marked as revoked.</dd>
            </div>
          ) : (
            offer.known.map((known) => (
              <Fingerprint key={known} label="Known until now">
                {known}
              </Fingerprint>
            ))
          )}
          <Fingerprint label={`Shown now (${offer.algorithm})`}>{offer.fingerprint}</Fingerprint>
        </dl>
        <p className="text-soft">
          Ask whoever runs {label} whether its key was replaced. If it was not, leave it as it is: its rows and notes stay.
        </p>
      </div>
    </Dialog>
  );
}

/** Takes a key in place of the known one, once the person has said which host they mean. */
function ReplaceKey({
  id,
  label,
  typed,
  offer,
  onClose,
}: {
  id: HostRef;
  label: string;
  typed: string;
  offer: KeyOffer;
  onClose: () => void;
}) {
  const backend = useBackend();
  const [text, setText] = useState("");
  const { busy, error, run } = useTask();
  const replace = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== typed) return;
    run(backend.replaceHostKey(id, offer.fingerprint, text), onClose);
  };
  return (
    <Dialog
      title={`Replace the key of ${label}`}
      description="From then on the new key counts, and the one that was known is refused."
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" type="submit" form="replace-key" disabled={busy || text.trim() !== typed}>
            Replace the key
          </Button>
        </>
      }
    >
      <form id="replace-key" onSubmit={replace} className="flex flex-col gap-3">
        <dl>
          <Fingerprint label={`New key (${offer.algorithm})`}>{offer.fingerprint}</Fingerprint>
        </dl>
        <p className="text-soft">
          Do this only if the host's owner told you this fingerprint by another way. Your own known hosts files are not
          changed: Rollcall keeps it in its own.
        </p>
        <TextField
          label={`Type ${typed} to go on`}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page was opened to type here
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </form>
    </Dialog>
  );
}
