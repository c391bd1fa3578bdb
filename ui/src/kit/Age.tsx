import { ago, exact, span, useNow } from "../store/time";

/** How long ago something was; the exact time on hover. */
export function Age({
  at,
  className,
  prefix = "",
  short = false,
}: {
  at: string;
  className?: string;
  prefix?: string;
  /** Only the length of time, where the heading says that it is an age. */
  short?: boolean;
}) {
  const now = useNow();
  return (
    <time dateTime={at} title={exact(at)} className={className}>
      {prefix}
      {short ? span((now - Date.parse(at)) / 1000) : ago(at, now)}
    </time>
  );
}
