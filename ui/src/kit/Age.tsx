import { ago, exact, useNow } from "../store/time";

/** How long ago something was; the exact time on hover. */
export function Age({ at, className, prefix = "" }: { at: string; className?: string; prefix?: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={exact(at)} className={className}>
      {prefix}
      {ago(at, now)}
    </time>
  );
}
