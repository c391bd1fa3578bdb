import { CircleHelp } from "lucide-react";
import type { HostRow } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { useRegistry, useView, useViewStore } from "../../store/context";
import type { Dialog } from "../../store/view";
import { many } from "../../store/words";

interface Question {
  readonly key: string;
  readonly text: string;
  readonly action: string;
  readonly dialog: Dialog;
}

/** What a host leaves open until a person decides, most urgent first. */
function questions(host: HostRow, conflicts: number): Question[] {
  const open: Question[] = [];
  if (host.machineOffered !== null) {
    open.push({
      key: "machine",
      text: `${host.label} answers as another machine than before. Nothing it says is taken up until you decide.`,
      action: "Decide…",
      dialog: { is: "machine", host: host.id },
    });
  }
  if (host.unconfirmed > 0) {
    open.push({
      key: "absence",
      text: `${host.label} says that ${many(host.unconfirmed, "workspace is", "workspaces are")} gone. Too much at once to be believed unasked.`,
      action: "Review…",
      dialog: { is: "absence", host: host.id },
    });
  }
  if (conflicts > 0) {
    open.push({
      key: "conflicts",
      text: `On ${host.label}, more than one record claims ${many(conflicts, "folder", "folders")}. None of them was taken up.`,
      action: "Review…",
      dialog: { is: "conflicts", host: host.id },
    });
  }
  return open;
}

/** What hosts leave open until a person decides: of the host that is being looked at, or of all. */
export function DecisionBanners() {
  const view = useViewStore();
  const { place } = useView();
  const { hosts, roots } = useRegistry();
  const concerned = hosts.filter((host) => place.is !== "host" || place.host === host.id);
  const open = concerned.flatMap((host) => {
    const paths = roots.filter((root) => root.host === host.id).flatMap((root) => root.conflicts.map((it) => it.path));
    return questions(host, new Set(paths).size).map((question) => ({ host, question }));
  });
  if (open.length === 0) return null;
  return (
    <section aria-label="Decisions" className="flex flex-col">
      {open.map(({ host, question }) => (
        <div
          key={`${host.id}:${question.key}`}
          data-testid={`decision-${question.key}`}
          className="flex items-start gap-2.5 border-b border-line bg-danger-soft px-3.5 py-2"
        >
          <CircleHelp size={16} aria-hidden className="mt-[3px] shrink-0 text-danger" />
          <p className="min-w-0 flex-1 pt-0.5 break-words" data-selectable>
            {question.text}
          </p>
          <Button small onClick={() => view.open(question.dialog)}>
            {question.action}
          </Button>
        </div>
      ))}
    </section>
  );
}
