import { Ruler, ScanSearch } from "lucide-react";
import type { DepthView, JobProgress, LookItem, SizeView, WorkspaceDetail } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { Button } from "../../kit/Button";
import { cx } from "../../kit/cx";
import { Trouble } from "../../kit/Trouble";
import { Unknown } from "../../kit/Unknown";
import { useBackend } from "../../store/context";
import { useJob } from "../../store/job";

function Item({ item }: { item: LookItem }) {
  return (
    <div>
      <dt className="text-sm text-soft">{item.name}</dt>
      <dd className={cx("min-w-0 wrap-anywhere", item.matters && "text-only")}>
        {item.known ? (
          item.words
        ) : (
          <Unknown>unknown: {item.words}</Unknown>
        )}
        {item.names.map((name) => (
          <span key={name} className="block font-mono text-sm text-soft">
            {name}
          </span>
        ))}
      </dd>
    </div>
  );
}

function soFar(progress: JobProgress | null): string {
  if (progress === null) return "Measuring…";
  const size = progress.first < 10_240 ? `${progress.first} KiB` : `${Math.floor(progress.first / 1024)} MiB`;
  return `${Math.floor(progress.second / 10)} %, ${size} so far`;
}

/** What only a walk through a workspace tells, looked at when it is wanted; and what was seen the last time. */
export function Closer({ detail }: { detail: WorkspaceDetail }) {
  const { id } = detail.row;
  const backend = useBackend();
  const look = useJob<DepthView>();
  const size = useJob<SizeView>();
  const seen = look.state.is === "done" ? look.state.value : detail.depth;
  const measured = size.state.is === "done" ? size.state.value : detail.size;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Button onClick={() => look.start((job) => backend.lookCloser(job, id))} disabled={look.state.is === "running"}>
          <ScanSearch size={14} aria-hidden />
          {look.state.is === "running" ? "Looking…" : seen === null ? "Look closer" : "Look again"}
        </Button>
        {look.state.is === "running" && <Button onClick={look.cancel}>Cancel</Button>}
        {seen !== null && look.state.is !== "running" && <Age at={seen.at} prefix="looked " className="text-sm text-soft" />}
      </div>
      {seen === null && look.state.is === "none" && (
        <p className="mt-1.5 text-sm text-soft">
          Whether it is merged, what is hidden or ignored in it and who works in it. Nothing is changed.
        </p>
      )}
      {look.state.is === "failed" && (
        <div className="mt-2">
          <Trouble message={look.state.error.message} hints={look.state.error.hints} />
        </div>
      )}
      {seen !== null && (
        <dl aria-label="What was seen" className="mt-2 flex flex-col gap-1.5" data-selectable>
          {seen.items.map((item) => (
            <Item key={item.name} item={item} />
          ))}
        </dl>
      )}

      <div className="mt-3 flex flex-wrap items-center gap-2">
        <Button onClick={() => size.start((job) => backend.measure(job, id))} disabled={size.state.is === "running"}>
          <Ruler size={14} aria-hidden />
          {measured === null ? "Measure" : "Measure again"}
        </Button>
        {size.state.is === "running" && <Button onClick={size.cancel}>Cancel</Button>}
      </div>
      {size.state.is === "running" ? (
        <p role="status" className="mt-1.5 text-sm text-soft">
          {soFar(size.state.progress)}
        </p>
      ) : (
        measured !== null && (
          <p className="mt-1.5" data-selectable>
            {measured.words} <Age at={measured.at} prefix="measured " className="block text-sm text-soft" />
          </p>
        )
      )}
      {size.state.is === "failed" && (
        <div className="mt-2">
          <Trouble message={size.state.error.message} hints={size.state.error.hints} />
        </div>
      )}
    </>
  );
}
