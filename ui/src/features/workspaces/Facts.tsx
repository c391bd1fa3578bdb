import {
  CircleCheck,
  CircleHelp,
  CloudOff,
  ArrowUpFromLine,
  Clock3,
  FileCheck,
  FilePen,
  FilePlus,
  Folder,
  GitBranch,
  GitCommitHorizontal,
  Ghost,
  Hourglass,
  Plane,
  TriangleAlert,
  Unlink,
  type LucideIcon,
} from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "../../kit/Badge";
import { Unsaid } from "../../kit/Unknown";
import type { WorkspaceRow } from "../../backend/backend";
import { cx } from "../../kit/cx";
import { isClean, operationWord } from "../../store/facts";
import { exact, span, useNow } from "../../store/time";
import { many } from "../../store/words";

type Tone = "edit" | "only" | "danger" | "soft" | "ok";

const TONES: Record<Tone, string> = {
  edit: "text-edit",
  only: "text-only",
  danger: "text-danger",
  soft: "text-soft",
  ok: "text-ok",
};

/** A sign with a number or a word; `title` says it in full. */
function Fact({
  icon: Icon,
  tone,
  title,
  children,
}: {
  icon: LucideIcon;
  tone: Tone;
  title: string;
  children: ReactNode;
}) {
  return (
    <span title={title} className={cx("inline-flex shrink-0 items-center gap-1", TONES[tone])}>
      <Icon size={13} aria-hidden className="shrink-0" />
      <span aria-hidden className="numeric">
        {children}
      </span>
      <span className="sr-only">{title}.</span>
    </span>
  );
}

/** What a workspace holds that exists nowhere else. What is not known is said to be unknown (I13). */
export function OnlyHere({ row, stale }: { row: WorkspaceRow; stale: boolean }) {
  if (row.kind === "directory") {
    return (
      <Fact icon={Folder} tone="only" title="Not in git: everything in it exists only here">
        not in git
      </Fact>
    );
  }
  const facts: ReactNode[] = [];
  const { changes, unpushed } = row;
  if (changes === null && unpushed.is === "unknown") {
    return (
      <Fact icon={CircleHelp} tone="soft" title="Unknown what exists only here">
        unknown
      </Fact>
    );
  }
  if (isClean(row)) {
    return (
      <Fact
        icon={CircleCheck}
        tone={stale ? "soft" : "ok"}
        title={stale ? "Clean when it was last seen" : "Clean: nothing exists only here"}
      >
        clean
      </Fact>
    );
  }
  if (changes === null) {
    if (row.kind !== "bare") {
      facts.push(
        <Fact key="changes" icon={CircleHelp} tone="soft" title="Unknown whether files are changed">
          edits?
        </Fact>,
      );
    }
  } else {
    const { conflicted, staged, unstaged, untracked } = changes;
    if (conflicted > 0) {
      facts.push(
        <Fact key="conflicted" icon={TriangleAlert} tone="danger" title={many(conflicted, "conflict", "conflicts")}>
          {conflicted}
        </Fact>,
      );
    }
    if (staged > 0) {
      facts.push(
        <Fact key="staged" icon={FileCheck} tone="edit" title={`${staged} staged`}>
          {staged}
        </Fact>,
      );
    }
    if (unstaged > 0) {
      facts.push(
        <Fact key="unstaged" icon={FilePen} tone="edit" title={`${unstaged} changed and not staged`}>
          {unstaged}
        </Fact>,
      );
    }
    if (untracked > 0) {
      facts.push(
        <Fact key="untracked" icon={FilePlus} tone="edit" title={`${untracked} untracked`}>
          {untracked}
        </Fact>,
      );
    }
  }
  if (unpushed.is === "unknown") {
    facts.push(
      <Fact key="unpushed" icon={CircleHelp} tone="soft" title="Unknown whether commits are unpushed">
        commits?
      </Fact>,
    );
  } else if (unpushed.is === "noRemote") {
    facts.push(
      <Fact key="unpushed" icon={CloudOff} tone="only" title="No remote: all commits exist only here">
        no remote
      </Fact>,
    );
  } else if (unpushed.count > 0) {
    facts.push(
      <Fact
        key="unpushed"
        icon={ArrowUpFromLine}
        tone="only"
        title={`${many(unpushed.count, "commit", "commits")} on no remote`}
      >
        {unpushed.count}
      </Fact>,
    );
  }
  if (row.factsUnknown) {
    facts.push(
      <Fact key="again" icon={CircleHelp} tone="soft" title="Could not be told when last asked">
        ?
      </Fact>,
    );
  }
  if (facts.length === 0) {
    return (
      <span className="text-soft" title="Nothing was changed or unpushed when it was last seen">
        nothing seen
      </span>
    );
  }
  return facts;
}

/** Where HEAD is. */
export function Branch({ row }: { row: WorkspaceRow }) {
  const { head, branch, operation } = row;
  const doing =
    operation === null ? null : (
      <span className="shrink-0 rounded bg-edit-soft px-1 text-xs text-edit" title={`${operationWord(operation)} in progress`}>
        {operationWord(operation)}
      </span>
    );
  if (head === "none") {
    return row.kind === "directory" ? (
      <Unsaid title="No branch">–</Unsaid>
    ) : (
      <span className="inline-flex items-center gap-1 text-soft" title="HEAD cannot be read">
        <CircleHelp size={13} aria-hidden />
        HEAD unreadable
      </span>
    );
  }
  const Icon = head === "detached" ? GitCommitHorizontal : GitBranch;
  const word = head === "detached" ? "detached" : head === "unborn" ? "no commits" : null;
  return (
    <>
      <span title={word ?? "branch"} className="inline-flex shrink-0 text-soft">
        <Icon size={13} aria-hidden />
      </span>
      <span className={cx("truncate", head === "detached" && "font-mono text-sm")} title={branch ?? undefined}>
        {branch ?? "unnamed branch"}
      </span>
      {word !== null && doing === null && (
        <span className={cx("shrink-0 text-xs text-soft", head === "detached" && "wide-3")}>{word}</span>
      )}
      {doing}
    </>
  );
}

/** How far a branch and what it follows are apart. */
export function Upstream({ row }: { row: WorkspaceRow }) {
  if (row.kind === "directory" || row.kind === "bare" || row.head === "detached" || row.head === "none") {
    return (
      <span className="text-soft" aria-label="no upstream">
        –
      </span>
    );
  }
  switch (row.upstream) {
    case "unknown":
      return <Unsaid title="Unknown what its branch follows">?</Unsaid>;
    case "none":
      return (
        <span className="text-soft" title="Its branch follows none">
          none
        </span>
      );
    case "gone":
      return (
        <span className="inline-flex items-center gap-1 text-edit" title="The branch it follows does not exist">
          <Unlink size={12} aria-hidden />
          gone
        </span>
      );
    case "noSuchRemote":
      return (
        <span className="inline-flex items-center gap-1 text-edit" title="The remote of the branch it follows does not exist">
          <Unlink size={12} aria-hidden />
          no remote
        </span>
      );
    case "remote":
    case "local": {
      const local = row.upstream === "local" ? " of the same repository" : "";
      const words = `${row.ahead} ahead, ${row.behind} behind its upstream${local}`;
      if (row.ahead === 0 && row.behind === 0) {
        return (
          <span className="text-soft" title={`In step with its upstream${local}`}>
            in step
          </span>
        );
      }
      return (
        <span className="numeric inline-flex gap-1.5" title={words}>
          <span className="sr-only">{words}</span>
          {row.ahead > 0 && <span aria-hidden>↑{row.ahead}</span>}
          {row.behind > 0 && (
            <span aria-hidden className="text-soft">
              ↓{row.behind}
            </span>
          )}
        </span>
      );
    }
  }
}

const PRESENCE = {
  away: { word: "away", title: "Locked, and its path is absent as expected", icon: Plane, tone: "bg-press text-soft" },
  prunable: {
    word: "stale record",
    title: "git has a record of it, and it is not there",
    icon: Unlink,
    tone: "bg-edit-soft text-edit",
  },
  missing: {
    word: "missing",
    title: "Its host says that it is gone",
    icon: Ghost,
    tone: "bg-danger-soft text-danger",
  },
  notAsserted: {
    word: "not asserted",
    title: "Its host cannot tell whether it is there",
    icon: CircleHelp,
    tone: "bg-press text-soft",
  },
  unconfirmed: {
    word: "gone?",
    title: "Its host says that it is gone, together with many others; you have yet to decide whether that is so",
    icon: CircleHelp,
    tone: "bg-danger-soft text-danger",
  },
} as const;

/** Whether a workspace is where the mirror says, where that is worth a word. */
export function PresenceBadge({ row }: { row: WorkspaceRow }) {
  if (row.deleting) {
    return (
      <Badge icon={Hourglass} title="Its deletion is pending" tone="bg-sunken text-soft">
        deleting
      </Badge>
    );
  }
  if (row.presence === "present") return null;
  const { word, ...look } = PRESENCE[row.presence];
  return <Badge {...look}>{word}</Badge>;
}

/** How old facts are that are older than they should be. */
export function StaleAge({ at }: { at: string | null }) {
  const now = useNow();
  const age = at === null ? "never" : span((now - Date.parse(at)) / 1000);
  const title = at === null ? "Its facts were never seen" : `Facts as of ${exact(at)}`;
  return (
    <span title={title} className="numeric inline-flex shrink-0 items-center gap-1 text-xs text-soft">
      <Clock3 size={11} aria-hidden />
      <span className="sr-only">facts seen</span>
      {age}
    </span>
  );
}
