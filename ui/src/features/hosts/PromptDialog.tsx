import { useState, type FormEvent } from "react";
import type { PromptRow } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { CheckField, TextField } from "../../kit/Field";
import { Trouble } from "../../kit/Trouble";
import { useBackend, useRegistry } from "../../store/context";
import { useTask } from "../../store/task";

function title(prompt: PromptRow): string {
  switch (prompt.subject.is) {
    case "passphrase":
      return "Passphrase of a key file";
    case "password":
      return `Password for ${prompt.subject.user} on ${prompt.asker}`;
    case "challenge":
      return `${prompt.asker} asks`;
    case "openSsh":
      return `ssh asks, for ${prompt.asker}`;
  }
}

/** Whose words the question is in, and what it is for. */
function Words({ prompt, label }: { prompt: PromptRow; label: string }) {
  const { subject } = prompt;
  const by = subject.is === "challenge" ? prompt.asker : "ssh";
  const said = subject.is === "challenge" ? subject.instructions : subject.is === "openSsh" ? subject.text : "";
  return (
    <>
      <p className="text-soft">
        {subject.is === "passphrase" ? (
          <>
            <span className="font-mono text-sm wrap-anywhere text-text" data-selectable>
              {subject.file}
            </span>{" "}
            is locked. It is opened on this machine, to sign in to {prompt.asker}.
          </>
        ) : subject.is === "password" ? (
          <>It is sent to {prompt.asker}, and held until Rollcall ends.</>
        ) : (
          <>These are the words of {by}, not of Rollcall.</>
        )}
        {label !== prompt.asker && <> It is on the way to {label}.</>}
      </p>
      {said !== "" && (
        <p className="rounded-md bg-sunken px-2.5 py-1.5 font-mono text-sm whitespace-pre-wrap wrap-anywhere" data-selectable>
          {said}
        </p>
      )}
    </>
  );
}

/** The question that has waited longest. */
export function PromptDialog({ prompt, others }: { prompt: PromptRow; others: number }) {
  const backend = useBackend();
  const label = useRegistry().hostById.get(prompt.host)?.label ?? prompt.asker;
  const [answers, setAnswers] = useState<readonly string[]>(prompt.fields.map(() => ""));
  const [keep, setKeep] = useState(false);
  const { busy, error, run } = useTask();
  // Both end with the question being gone from the queue.
  const send = (event: FormEvent) => {
    event.preventDefault();
    run(backend.answerPrompt(prompt.id, [...answers], keep), () => {});
  };
  const cancel = () => run(backend.cancelPrompt(prompt.id), () => {});
  const only = prompt.fields.length === 0;
  return (
    <Dialog
      title={title(prompt)}
      width="w-[440px]"
      onClose={cancel}
      footer={
        <>
          {others > 0 && (
            <p className="mr-auto text-sm text-soft">
              {others === 1 ? "1 more question waits." : `${others} more questions wait.`}
            </p>
          )}
          <Button onClick={cancel}>Cancel</Button>
          <Button look="primary" type="submit" form="prompt" disabled={busy}>
            {only ? "Yes" : "Sign in"}
          </Button>
        </>
      }
    >
      <form id="prompt" onSubmit={send} className="flex flex-col gap-3">
        <Words prompt={prompt} label={label} />
        {prompt.again && <Trouble message="That was not right. Check the keyboard layout and try again." />}
        {prompt.fields.map((field, at) => (
          <TextField
            // oxlint-disable-next-line react/no-array-index-key -- fields have no identity but their order
            key={at}
            label={field.text || "Answer"}
            type={field.echo ? "text" : "password"}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the dialog is there to type here
            autoFocus={at === 0}
            value={answers[at] ?? ""}
            onChange={(event) => setAnswers(answers.map((each, other) => (other === at ? event.target.value : each)))}
          />
        ))}
        {prompt.keepable && (
          <CheckField checked={keep} onChange={setKeep}>
            Keep it in the keychain of this system, so that Rollcall can sign in by itself.
          </CheckField>
        )}
        {error !== null && <Trouble message={error.message} hints={error.hints} />}
      </form>
    </Dialog>
  );
}
