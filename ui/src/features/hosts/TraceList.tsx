import { CircleCheck, CircleX } from "lucide-react";
import type { TraceRow, TraceStepKind } from "../../backend/backend";

const STEPS: Record<TraceStepKind, string> = {
  configuration: "Configuration",
  connection: "Connection",
  hostKey: "Host key",
  signIn: "Sign-in",
  collector: "git and sh",
  rollCall: "Roll call",
};

/** What was done to reach a host, step by step. */
export function TraceList({ label, trace }: { label: string; trace: readonly TraceRow[] }) {
  return (
    <ol aria-label={label} className="flex flex-col gap-1" data-selectable>
      {trace.map((line, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- lines have no identity but their order
        <li key={at} className="flex items-start gap-2 text-sm">
          {line.well ? (
            <CircleCheck size={14} aria-label="Went well" className="mt-px shrink-0 text-ok" />
          ) : (
            <CircleX size={14} aria-label="Failed" className="mt-px shrink-0 text-danger" />
          )}
          <span className="w-[92px] shrink-0 text-soft">{STEPS[line.step]}</span>
          <span className="min-w-0 flex-1 wrap-anywhere">
            <span className="font-medium">{line.about}</span> <span>{line.words.replaceAll("`", "")}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}
