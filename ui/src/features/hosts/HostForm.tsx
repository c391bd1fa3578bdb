import { useId, useState, type FormEvent } from "react";
import type { ApiError, ConnectionTest } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { SelectField, TextField } from "../../kit/Field";
import { Trouble } from "../../kit/Trouble";
import { useBackend } from "../../store/context";
import { useTask } from "../../store/task";
import { cadences, formOf, portTrouble, TRANSPORTS, type HostFields } from "../../store/hostForm";
import { TraceList } from "./TraceList";

/** Tries to reach a host as the fields say, and shows what was done. */
function Trial({ fields }: { fields: HostFields }) {
  const backend = useBackend();
  const { busy, error, run } = useTask();
  const [tested, setTested] = useState<{ fields: HostFields; test: ConnectionTest } | null>(null);
  // What is shown is about what stands in the fields.
  const shown = tested?.fields === fields ? tested.test : null;
  const empty = fields.destination.trim() === "" || portTrouble(fields) !== null;
  return (
    <section aria-label="Connection test" className="col-span-3 flex flex-col gap-2">
      <div className="flex items-center gap-3">
        <Button
          small
          disabled={busy || empty}
          onClick={() => run(backend.testHost(formOf(fields)), (test) => setTested({ fields, test }))}
        >
          {busy ? "Connecting…" : "Test the connection"}
        </Button>
        <p role="status" className="min-w-0 text-sm text-soft">
          {busy ? "This takes as long as ssh would." : shown?.reason === null ? "It can be reached." : ""}
        </p>
      </div>
      {error !== null && <Trouble message={error.message} hints={error.hints} />}
      {shown !== null && (
        <>
          <TraceList label="What was done" trace={shown.trace} />
          {shown.reason !== null && <Trouble message={shown.reason.message} hints={shown.reason.hints} />}
        </>
      )}
    </section>
  );
}

/** The fields of a host. Submitting is up to the form they stand in. */
export function HostForm({
  id,
  fields,
  local = false,
  error,
  onChange,
  onSubmit,
}: {
  id: string;
  fields: HostFields;
  local?: boolean;
  error: ApiError | null;
  onChange: (fields: HostFields) => void;
  onSubmit: () => void;
}) {
  const bad = portTrouble(fields);
  const note = useId();
  const field = (name: keyof HostFields) => ({
    value: fields[name],
    onChange: (event: { target: { value: string } }) => onChange({ ...fields, [name]: event.target.value }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (bad === null && (local || fields.destination.trim() !== "")) onSubmit();
  };
  return (
    <form id={id} onSubmit={submit} className="grid grid-cols-[1fr_1fr_80px] gap-3">
      {!local && (
        <TextField
          className="col-span-3"
          label="Destination"
          placeholder="build-box or 192.0.2.7"
          help="A name of your ssh configuration, a host name or an address."
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the dialog was opened to type here
          autoFocus
          aria-invalid={error !== null && error.code !== "duplicate_label"}
          {...field("destination")}
        />
      )}
      <TextField
        className="col-span-3"
        label="Label"
        placeholder={fields.destination || "What you call it"}
        aria-invalid={error?.code === "duplicate_label"}
        {...field("label")}
      />
      {!local && (
        <>
          <TextField label="User" placeholder="From the configuration" className="col-span-2" {...field("user")} />
          <TextField
            label="Port"
            placeholder="22"
            inputMode="numeric"
            aria-invalid={bad !== null}
            {...(bad === null ? {} : { "aria-describedby": note })}
            {...field("port")}
          />
          <TextField
            className="col-span-3"
            label="Key file"
            placeholder="From the configuration or the agent"
            {...field("identityFile")}
          />
        </>
      )}
      <div className="col-span-3 grid grid-cols-2 gap-3">
        {!local && (
          <SelectField
            label="Connection"
            value={fields.transport}
            options={TRANSPORTS}
            onChange={(transport) => onChange({ ...fields, transport })}
          />
        )}
        <SelectField
          label="Call the roll"
          value={fields.every}
          options={cadences(fields.every, local)}
          onChange={(every) => onChange({ ...fields, every })}
        />
      </div>
      {bad !== null && (
        <div id={note} className="col-span-3">
          <Trouble message={bad} />
        </div>
      )}
      {error !== null && <Trouble className="col-span-3" message={error.message} hints={error.hints} />}
      {!local && <Trial fields={fields} />}
    </form>
  );
}
