import { Circle, ExternalLink, Eye, EyeOff, FolderTree, Hourglass, Link2, PanelRightClose, Pin, Tag as TagIcon, Trash2 } from "lucide-react";
import { useEffect, useState, type ReactNode } from "react";
import { apiError, type HostRow, type RootRow, type WorkspaceDetail, type WorkspaceRef, type WorkspaceRow } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { Button, IconButton } from "../../kit/Button";
import { Chips } from "../../kit/Chips";
import { ColourMark, colourWord } from "../../kit/ColourMark";
import { CopyButton } from "../../kit/Copy";
import { cx } from "../../kit/cx";
import { INPUT } from "../../kit/Field";
import { HostIcon } from "../../kit/HostMark";
import { ButtonMenu } from "../../kit/Menu";
import { complain } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { Unknown } from "../../kit/Unknown";
import { KIND_WORDS, KindIcon } from "../../kit/KindIcon";
import { useCounts, useEntry, useMarkedRows, useRegistry, useStores, useView, useViewStore } from "../../store/context";
import { changeCount, factsAge, isReachable, operationWord } from "../../store/facts";
import { exact } from "../../store/time";
import { VerdictBadge, VerdictItems } from "../../kit/Verdict";
import { Actions } from "./Actions";
import { Closer } from "./Closer";
import { Contents } from "./Contents";
import { PresenceBadge } from "./Facts";
import { Note, SaveState } from "./Note";
import { ColourChoices } from "./RowMenu";
import { many, sizeWord } from "../../store/words";

/** As many of the marked rows are listed by name. */
const LISTED_MOST = 30;

const LISTED: Record<WorkspaceDetail["listed"], string> = {
  registered: "registered by you",
  adopted: "adopted from its repository",
  made: "created by you",
};

function changesWords(row: WorkspaceRow): ReactNode {
  if (row.kind === "directory") return "not in git";
  if (row.kind === "bare" && row.changes === null) return "no working tree";
  if (row.changes === null) return <Unknown />;
  if (changeCount(row.changes) === 0) return "none";
  const { staged, unstaged, untracked, conflicted } = row.changes;
  return [
    conflicted > 0 && many(conflicted, "conflict", "conflicts"),
    staged > 0 && `${staged} staged`,
    unstaged > 0 && `${unstaged} not staged`,
    untracked > 0 && `${untracked} untracked`,
  ]
    .filter(Boolean)
    .join(", ");
}

function unpushedWords({ row, unpushedShared }: WorkspaceDetail): ReactNode {
  switch (row.unpushed.is) {
    case "unknown":
      return <Unknown />;
    case "noRemote":
      return "no remote: all commits exist only here";
    case "commits": {
      const { count } = row.unpushed;
      if (count === 0) return "none";
      const words = `${many(count, "commit", "commits")} on no remote`;
      if (unpushedShared === null || unpushedShared === 0) return words;
      return `${words}, ${unpushedShared === count ? "all" : unpushedShared} of them on another branch too`;
    }
  }
}

function headWords(detail: WorkspaceDetail): ReactNode {
  const { row } = detail;
  switch (row.head) {
    case "branch":
      return row.branch ?? <Unknown />;
    case "detached":
      return (
        <>
          detached at <span className="font-mono text-sm">{row.branch ?? "an unknown commit"}</span>
        </>
      );
    case "unborn":
      return `${row.branch ?? "a branch"}, without commits`;
    case "none":
      return <Unknown>cannot be read</Unknown>;
  }
}

function upstreamWords(detail: WorkspaceDetail): ReactNode {
  const { row, upstreamName } = detail;
  const name = upstreamName ?? "a branch";
  switch (row.upstream) {
    case "unknown":
      return <Unknown />;
    case "none":
      return "none";
    case "gone":
      return `${name}, which does not exist`;
    case "noSuchRemote":
      return `a branch of ${name}, and there is no such remote`;
    case "remote":
    case "local": {
      const apart =
        row.ahead === 0 && row.behind === 0
          ? "in step"
          : [row.ahead > 0 && `${row.ahead} ahead`, row.behind > 0 && `${row.behind} behind`]
              .filter(Boolean)
              .join(", ");
      return `${name}${row.upstream === "local" ? " (same repository)" : ""}, ${apart}`;
    }
  }
}

function baseWords({ base }: WorkspaceDetail, chosen: string | null): ReactNode {
  if (base === null) return <Unknown>{chosen === null ? "unknown" : `${chosen}, not found`}</Unknown>;
  if (base.ahead === 0 && base.behind === 0) return `${base.name}, in step`;
  const apart = [base.ahead > 0 && `${base.ahead} ahead`, base.behind > 0 && `${base.behind} behind`];
  return `${base.name}, ${apart.filter(Boolean).join(", ")}`;
}

function stashWords({ stashes, stashesHere }: WorkspaceDetail): ReactNode {
  if (stashes === null) return <Unknown />;
  if (stashes === 0) return "none";
  if (stashesHere === null) return stashes;
  return `${stashes} in its repository, ${stashesHere === 0 ? "none" : stashesHere} made on its branch`;
}

function FactRow({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 break-words" data-selectable>
        {children}
      </dd>
    </>
  );
}

function Part({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="border-t border-line px-3.5 py-3">
      <div className="mb-1.5 flex min-h-5 items-center justify-between gap-2">
        <h3 className="text-xs font-semibold text-soft">{title}</h3>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Why a workspace is not simply there, in a sentence. */
function PresenceNote({ detail }: { detail: WorkspaceDetail }) {
  const { row, presenceReason, missingSince, lockReason } = detail;
  const words: ReactNode[] = [];
  if (row.presence === "missing") {
    words.push(
      <p key="missing">
        Its host says it is gone
        {missingSince !== null && <Age at={missingSince} short prefix=": missing for " />}. What you wrote about it
        stays until you decide.
      </p>,
    );
  }
  if (row.presence === "unconfirmed") {
    words.push(
      <p key="unconfirmed">
        Its host says it is gone, together with many others
        {missingSince !== null && <Age at={missingSince} prefix=", first " />}. You have yet to decide whether that is so.
      </p>,
    );
  }
  if (row.presence === "away") words.push(<p key="away">It is locked and its path is absent, as expected.</p>);
  if (row.presence === "prunable") {
    words.push(<p key="prunable">git has a record of it and cannot find it{presenceReason && `: ${presenceReason}`}.</p>);
  }
  if (row.presence === "notAsserted") {
    words.push(<p key="asserted">Its host cannot tell whether it is there{presenceReason && `: ${presenceReason}`}.</p>);
  }
  if (detail.recreated) {
    words.push(<p key="recreated">It was made anew: what is written here was about an earlier one at this path.</p>);
  }
  if (row.locked) words.push(<p key="locked">Locked{lockReason ? `: ${lockReason}` : ", without a reason"}.</p>);
  if (row.operation !== null) {
    const { operationBranch: on, operationStep: step } = detail;
    words.push(
      <p key="operation">
        A {operationWord(row.operation)} is in progress
        {on !== null && `, begun on ${on}`}
        {step !== null && `, at step ${step[0]} of ${step[1]}`}.
      </p>,
    );
  }
  if (words.length === 0) return null;
  return <div className="flex flex-col gap-1 rounded-md bg-sunken px-2.5 py-2 text-sm">{words}</div>;
}

/** The display name; what is typed is saved on leaving the field or on Enter. */
function DisplayName({ id, name, placeholder }: { id: WorkspaceRef; name: string; placeholder: string }) {
  const { annotations } = useStores();
  return (
    <input
      aria-label="Display name"
      placeholder={placeholder}
      value={name}
      maxLength={200}
      spellCheck={false}
      className={INPUT}
      onChange={(event) => annotations.write(id, { displayName: event.target.value }, 600)}
      onBlur={() => annotations.flush(id)}
      onKeyDown={(event) => event.key === "Enter" && annotations.flush(id)}
    />
  );
}

/** Where on the web it belongs; what is typed is saved on leaving the field or on Enter. */
function LinkField({ id, link, saved }: { id: WorkspaceRef; link: string; saved: string | null }) {
  const { annotations, backend } = useStores();
  return (
    <div className="flex items-center gap-1">
      <input
        aria-label="Link"
        placeholder="https://… an issue, a review, a page"
        value={link}
        maxLength={2_048}
        spellCheck={false}
        inputMode="url"
        className={INPUT}
        // Half an address is none, so it waits until the field is left.
        onChange={(event) => annotations.hold(id, { link: event.target.value })}
        onBlur={() => annotations.flush(id)}
        onKeyDown={(event) => event.key === "Enter" && annotations.flush(id)}
      />
      {saved !== null && (
        <IconButton
          label="Open the link"
          onClick={() => backend.openLink(id).catch((thrown: unknown) => complain(apiError(thrown)))}
        >
          <ExternalLink size={14} aria-hidden />
        </IconButton>
      )}
    </div>
  );
}

function Body({
  id,
  row,
  root,
  host,
  journal,
}: {
  id: WorkspaceRef;
  row: WorkspaceRow;
  root: RootRow | undefined;
  host: HostRow | undefined;
  journal: ReactNode;
}) {
  const { annotations, operations } = useStores();
  const view = useViewStore();
  const { groupById } = useRegistry();
  const entry = useEntry(id);
  const { tags: allTags } = useCounts();
  const { detail, error, unsaved } = entry;

  // The row is a new object whenever anything about the workspace changed; roots change with each roll call.
  useEffect(() => {
    void annotations.load(id);
  }, [annotations, id, row, root?.assertedAt, root?.factsAt]);

  // Leaving one workspace for another need not take the focus from any field first.
  useEffect(() => () => annotations.flush(id), [annotations, id]);

  const { pinned } = row;
  const tags = unsaved.tags ?? detail?.row.tags ?? row.tags;
  const age = factsAge(row, root, host);
  const lastName = row.path.slice(row.path.lastIndexOf("/") + 1) || row.path;

  return (
    <>
      <div className="px-3.5 pt-3 pb-3">
        <div className="flex items-start gap-2">
          <span className="mt-0.5 inline-flex">
            <KindIcon kind={row.kind} size={16} />
          </span>
          <h2 className="min-w-0 flex-1 text-lg font-semibold break-words" data-selectable>
            {row.name}
          </h2>
          <IconButton
            label={pinned ? "Unpin" : "Pin"}
            aria-pressed={pinned}
            className="-mt-1"
            onClick={() => void operations.perform({ is: "pin", ids: [id], on: !pinned })}
          >
            <Pin size={15} aria-hidden className={cx(pinned && "fill-current text-accent")} />
          </IconButton>
        </div>
        <p className="mt-1 flex flex-wrap items-center gap-x-1.5 gap-y-1 text-sm text-soft">
          <span>{KIND_WORDS[row.kind]} on</span>
          <span className="inline-flex items-center gap-1">
            {host !== undefined && <HostIcon host={host} />}
            {host?.label ?? "an unknown host"}
          </span>
          <PresenceBadge row={row} />
        </p>
        <div className="mt-1.5 flex items-start gap-1">
          <p className="min-w-0 flex-1 pt-0.5 font-mono text-sm wrap-anywhere text-soft" data-selectable>
            {row.path}
          </p>
          <span className="-mt-0.5 inline-flex">
            <CopyButton text={row.path} label="Copy path" />
          </span>
        </div>
        {!row.untracked && row.presence !== "missing" && <Actions row={row} />}
        {row.presence === "missing" && !row.untracked && !row.deleting && (
          <div className="mt-2 flex flex-wrap gap-1.5">
            <Button onClick={() => view.open({ is: "relink", id })}>
              <Link2 size={13} aria-hidden />
              Say where it went…
            </Button>
            <Button onClick={() => view.open({ is: "forgetMissing", ids: [id] })}>Forget it…</Button>
          </div>
        )}
      </div>

      {error !== null && (
        <div className="px-3.5 pb-3">
          <Trouble message={error.message} hints={error.hints} />
        </div>
      )}

      <Part title="Note" aside={<SaveState id={id} />}>
        {detail === null && unsaved.note === undefined ? (
          <p className="text-soft">Reading…</p>
        ) : (
          <Note id={id} note={unsaved.note ?? detail?.note ?? ""} />
        )}
        <div className="mt-2">
          <Chips
            label="Tags"
            tags={tags}
            suggestions={allTags.map(([tag]) => tag)}
            onChange={(changed) => {
              const write = (to: readonly string[]) => {
                annotations.write(id, { tags: [...to] });
                return Promise.resolve();
              };
              void write(changed);
              operations.kept({ words: `Tags of ${row.name}`, redo: () => write(changed), undo: () => write(tags) });
            }}
          />
        </div>
      </Part>

      {detail !== null && (
        <Part
          title="Facts"
          aside={
            row.kind !== "directory" && (
              <span className={cx("text-xs", age.stale ? "font-medium text-edit" : "text-soft")}>
                {detail.factsAt === null ? "never seen" : <Age at={detail.factsAt} prefix="seen " />}
              </span>
            )
          }
        >
          <PresenceNote detail={detail} />
          {age.stale && !isReachable(host) && host !== undefined && (
            <p className="mt-1.5 text-sm text-soft">
              {host.label} does not answer now; this is what it said last.
            </p>
          )}
          <dl className="mt-1.5 grid grid-cols-[84px_1fr] gap-x-2 gap-y-1">
            {row.kind !== "directory" && (
              <>
                <FactRow name="HEAD">{headWords(detail)}</FactRow>
                <FactRow name="Changes">{changesWords(row)}</FactRow>
                <FactRow name="Unpushed">{unpushedWords(detail)}</FactRow>
                <FactRow name="Upstream">{upstreamWords(detail)}</FactRow>
                {row.kind !== "bare" && row.head === "branch" && <FactRow name="Base">{baseWords(detail, root?.base ?? null)}</FactRow>}
                {detail.merged !== null && <FactRow name="Merged">{detail.merged}</FactRow>}
                <FactRow name="Stashes">{stashWords(detail)}</FactRow>
                <FactRow name="Commit">
                  {detail.lastCommit === null ? (
                    row.head === "unborn" ? (
                      "none yet"
                    ) : (
                      <Unknown />
                    )
                  ) : (
                    <>
                      <span className="block">{detail.lastCommit.subject}</span>
                      <span className="block text-sm text-soft">
                        {detail.commit !== null && (
                          <span className="font-mono" title={detail.commit}>
                            {detail.commit.slice(0, 9)}
                          </span>
                        )}{" "}
                        {detail.lastCommit.author}, <Age at={detail.lastCommit.time} />
                      </span>
                    </>
                  )}
                </FactRow>
              </>
            )}
            {row.kind === "directory" && <FactRow name="Git">not in git: everything in it exists only here</FactRow>}
            <FactRow name="Existence">
              {detail.assertedAt === null ? (
                "never asserted"
              ) : (
                <>
                  asserted by {host?.label ?? "its host"} <Age at={detail.assertedAt} />
                </>
              )}
            </FactRow>
            {detail.lastActivity !== null && (
              <FactRow name="Active">
                <Age at={detail.lastActivity} />
              </FactRow>
            )}
            {detail.origin !== null && (
              <FactRow name="Origin">
                <span className="wrap-anywhere">{detail.origin}</span>
              </FactRow>
            )}
            {detail.traits.length > 0 && (
              <FactRow name="Special">
                {detail.traits.map((line) => (
                  <span key={line} className="block">
                    {line}
                  </span>
                ))}
              </FactRow>
            )}
            <FactRow name="Listed">{LISTED[detail.listed]}</FactRow>
            {detail.repository !== null && (
              <FactRow name="Repository">
                <span className="font-mono text-sm wrap-anywhere">{detail.repository}</span>
              </FactRow>
            )}
            {detail.adminName !== null && (
              <FactRow name="Record">
                <span className="font-mono text-sm wrap-anywhere">{detail.adminName}</span>
              </FactRow>
            )}
          </dl>
          {detail.unknown.length > 0 && (
            <div className="mt-2 rounded-md bg-sunken px-2.5 py-2 text-sm">
              <p className="font-medium">Unknown, and why</p>
              <ul data-selectable>
                {detail.unknown.map((line) => (
                  <li key={line} className="break-words">
                    {line}
                  </li>
                ))}
              </ul>
            </div>
          )}
          {detail.factsAt !== null && <p className="sr-only">Facts seen {exact(detail.factsAt)}</p>}
        </Part>
      )}

      {row.presence === "present" && (
        <Part title="Contents">
          <Contents id={id} />
        </Part>
      )}

      {detail !== null && row.presence === "present" && (
        <Part title="In depth">
          <Closer detail={detail} />
        </Part>
      )}

      {detail !== null && (
        <Part title="Name, group and mark">
          <div className="flex flex-col gap-2">
            <DisplayName id={id} name={unsaved.displayName ?? detail.displayName ?? ""} placeholder={lastName} />
            <div className="flex flex-wrap gap-1.5">
              <Button onClick={() => view.set({ marked: new Set([id]), dialog: { is: "palette", page: "group" } })}>
                <FolderTree size={13} aria-hidden />
                <span className="max-w-[130px] truncate">
                  {row.group === null ? "No group" : (groupById.get(row.group)?.name ?? "A group")}
                </span>
              </Button>
              <ButtonMenu
                label={row.colour === null ? "No colour" : colourWord(row.colour)}
                icon={row.colour === null ? <Circle size={12} aria-hidden /> : <ColourMark colour={row.colour} silent />}
              >
                <ColourChoices
                  value={row.colour ?? "none"}
                  onChange={(colour) => void operations.perform({ is: "colour", ids: [id], colour })}
                />
              </ButtonMenu>
            </div>
            <LinkField id={id} link={unsaved.link ?? detail.link ?? ""} saved={detail.link} />
          </div>
        </Part>
      )}

      <Part title="Journal">{journal}</Part>

      {detail !== null && !row.untracked && row.presence !== "missing" && (
        <Part title="Deletion">
          {row.deleting ? (
            <Button onClick={() => view.open({ is: "pending" })}>
              <Hourglass size={14} aria-hidden />
              Pending deletion…
            </Button>
          ) : (
            <div className="flex flex-col items-start gap-1.5">
              <VerdictBadge verdict={row.verdict} />
              <VerdictItems items={detail.verdict} />
              <Button onClick={() => view.open({ is: "delete", ids: [id], again: null })}>
                <Trash2 size={14} aria-hidden />
                Delete…
              </Button>
            </div>
          )}
        </Part>
      )}

      <Part title="Roll call">
        {row.untracked ? (
          <Button onClick={() => void operations.perform({ is: "untrack", ids: [id], on: false })}>
            <Eye size={14} aria-hidden />
            Show again
          </Button>
        ) : (
          <Button onClick={() => void operations.perform({ is: "untrack", ids: [id], on: true })}>
            <EyeOff size={14} aria-hidden />
            Untrack
          </Button>
        )}
        <p className="mt-1.5 text-sm text-soft">
          {row.untracked
            ? "It is hidden from every list but this one."
            : "Stops showing it here. Nothing on its host is touched."}
        </p>
      </Part>
    </>
  );
}

/** What is marked, when that is more than one. */
function Several({ rows }: { rows: readonly WorkspaceRow[] }) {
  const { operations } = useStores();
  const view = useViewStore();
  const { hostById } = useRegistry();
  const ids = rows.map((row) => row.id);
  const pinned = rows.every((row) => row.pinned);
  const sizes = rows.flatMap((row) => row.size ?? []);
  const verdicts = (["safe", "loses", "blocked", "unknown"] as const)
    .map((verdict) => [verdict, rows.filter((row) => row.verdict === verdict && !row.deleting).length] as const)
    .filter(([, count]) => count > 0);
  const deletable = rows.filter((row) => !row.deleting && row.presence !== "missing" && !row.untracked);
  const hosts = [...new Set(rows.map((row) => hostById.get(row.host)?.label ?? "an unknown host"))];
  return (
    <>
      <div className="px-3.5 pt-3 pb-3">
        <h2 className="text-lg font-semibold">{rows.length} workspaces</h2>
        <p className="mt-1 text-sm text-soft">On {hosts.join(", ")}.</p>
        {sizes.length > 0 && (
          <p className="text-sm text-soft">
            {sizeWord(sizes.reduce((sum, size) => sum + size, 0))}
            {sizes.length < rows.length && `, with ${rows.length - sizes.length} not measured`}
          </p>
        )}
      </div>
      <Part title="Put together">
        <div className="flex flex-wrap gap-1.5">
          <Button onClick={() => void operations.perform({ is: "pin", ids, on: !pinned })}>
            <Pin size={13} aria-hidden />
            {pinned ? "Unpin" : "Pin"}
          </Button>
          <Button onClick={() => view.open({ is: "palette", page: "group" })}>
            <FolderTree size={13} aria-hidden />
            Move to group…
          </Button>
          <Button onClick={() => view.open({ is: "palette", page: "tag" })}>
            <TagIcon size={13} aria-hidden />
            Tag…
          </Button>
          <ButtonMenu label="Colour" icon={<Circle size={12} aria-hidden />}>
            <ColourChoices
              value={new Set(rows.map((row) => row.colour)).size === 1 ? (rows[0]?.colour ?? "none") : "none"}
              onChange={(colour) => void operations.perform({ is: "colour", ids, colour })}
            />
          </ButtonMenu>
        </div>
      </Part>
      <Part title="Deletion">
        <ul className="mb-2 flex flex-col gap-1">
          {verdicts.map(([verdict, count]) => (
            <li key={verdict} className="flex items-center gap-2">
              <span className="numeric w-8 text-right">{count}</span>
              <VerdictBadge verdict={verdict} />
            </li>
          ))}
        </ul>
        <Button
          disabled={deletable.length === 0}
          onClick={() => void operations.perform({ is: "delete", ids: deletable.map((row) => row.id) })}
        >
          <Trash2 size={14} aria-hidden />
          Delete {deletable.length === rows.length ? "them" : `${deletable.length} of them`}…
        </Button>
      </Part>
      <Part title="Roll call">
        <Button onClick={() => void operations.perform({ is: "untrack", ids, on: true })}>
          <EyeOff size={14} aria-hidden />
          Untrack them
        </Button>
        <p className="mt-1.5 text-sm text-soft">Stops showing them here. Nothing on their hosts is touched.</p>
      </Part>
      <Part title="Marked">
        <ul className="flex flex-col">
          {rows.slice(0, LISTED_MOST).map((row) => (
            <li key={row.id} className="flex items-center gap-2 py-0.5">
              <KindIcon kind={row.kind} size={13} />
              <span className="min-w-0 flex-1 truncate">{row.name}</span>
              <span className="truncate text-sm text-soft">{hostById.get(row.host)?.label}</span>
            </li>
          ))}
        </ul>
        {rows.length > LISTED_MOST && <p className="text-sm text-soft">and {rows.length - LISTED_MOST} more</p>}
      </Part>
    </>
  );
}

/** Everything about the selected workspace, and what you want to remember about it. */
export function Inspector({ journal, onHide }: { journal: (id: WorkspaceRef) => ReactNode; onHide: () => void }) {
  const { selected } = useView();
  const { rows, rootById, hostById } = useRegistry();
  const marked = useMarkedRows();
  const row = selected === null ? undefined : rows.get(selected);
  // A row that was dropped under the reader's eyes keeps its screen until another is chosen.
  const [last, setLast] = useState<WorkspaceRow | null>(null);
  if (row !== undefined && row !== last) setLast(row);
  const shown = row ?? (last !== null && last.id === selected ? last : undefined);
  return (
    <aside
      aria-label="Inspector"
      data-part="inspector"
      className="flex w-[288px] shrink-0 flex-col border-l border-line bg-page max-[899px]:absolute max-[899px]:inset-y-0 max-[899px]:right-0 max-[899px]:z-10 max-[899px]:shadow-lift min-[1100px]:w-[300px] min-[1400px]:w-[340px]"
    >
      <div className="flex h-7 shrink-0 items-center justify-between border-b border-line pr-1 pl-3.5 text-xs font-medium text-soft">
        Inspector
        <IconButton label="Close inspector" className="size-6" onClick={onHide}>
          <PanelRightClose size={14} aria-hidden />
        </IconButton>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <div tabIndex={0} role="group" aria-label="Details" className="relative min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]">
        {marked.length > 1 ? (
          <Several rows={marked} />
        ) : shown === undefined ? (
          <p className="px-6 py-16 text-center text-soft">Choose a workspace to see what is in it.</p>
        ) : (
          <>
            {row === undefined && (
              <p role="status" className="bg-edit-soft px-3.5 py-2 text-sm">
                This workspace is no longer listed.
              </p>
            )}
            <Body
              key={shown.id}
              id={shown.id}
              row={shown}
              root={rootById.get(shown.root)}
              host={hostById.get(shown.host)}
              journal={journal(shown.id)}
            />
          </>
        )}
      </div>
    </aside>
  );
}
