import { CircleAlert, CircleCheck } from "lucide-react";
import type { RegisterOutcome } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";

function outcomeWords({ registered, error }: RegisterOutcome): string {
  if (error !== null) return [error.message, ...error.hints].join(" ");
  if (registered === null) return "Nothing came of it.";
  if (registered.already) return "Already registered.";
  if (registered.inside !== null) return `Registered as a plain folder inside the repository ${registered.inside}.`;
  return registered.root.kind === "repository" ? "Registered as a repository." : "Registered as a plain folder.";
}

/** What came of each of several paths. */
export function OutcomeList({ outcomes }: { outcomes: readonly RegisterOutcome[] }) {
  return (
    <ul aria-label="What came of each folder" className="flex flex-col" data-selectable>
      {outcomes.map((outcome) => {
        const Icon = outcome.error === null ? CircleCheck : CircleAlert;
        return (
          <li key={outcome.path} className="flex gap-2.5 border-b border-line py-2 last:border-0">
            <Icon
              size={15}
              aria-hidden
              className={outcome.error === null ? "mt-px shrink-0 text-ok" : "mt-px shrink-0 text-danger"}
            />
            <div className="min-w-0 flex-1">
              <p className="font-mono text-sm wrap-anywhere">{outcome.path}</p>
              <p className="mt-0.5 break-words">{outcomeWords(outcome)}</p>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** Answers folders that were dropped onto the window, each by itself. */
export function OutcomesDialog({
  outcomes,
  onClose,
}: {
  outcomes: readonly RegisterOutcome[];
  onClose: () => void;
}) {
  const failed = outcomes.filter((outcome) => outcome.error !== null).length;
  return (
    <Dialog
      title={failed === 0 ? "Folders registered" : failed === outcomes.length ? "Nothing was registered" : "Some folders were not registered"}
      onClose={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <OutcomeList outcomes={outcomes} />
    </Dialog>
  );
}
