import type { HostRow } from "../../backend/backend";
import { hostWord } from "../../kit/HostMark";
import { ago, exact, until, useNow } from "../../store/time";

/** What a host is doing and how old its last answer is, in words. */
export function HostStatus({ host }: { host: HostRow }) {
  const now = useNow();
  const word = hostWord(host);
  const answered = host.answeredAt;
  const title = answered === null ? undefined : `Last answered ${exact(answered)}`;
  const parts: string[] = [];
  if (host.state.is === "idle") {
    parts.push(answered === null ? word : `${word} ${ago(answered, now)}`);
  } else {
    parts.push(host.state.is === "calling" ? "calling…" : word);
    if (answered !== null && host.state.is !== "calling") parts.push(ago(answered, now));
  }
  return <span title={title}>{parts.join(" · ")}</span>;
}

/** When a host that does not answer is asked again. */
export function NextTry({ at }: { at: string }) {
  const now = useNow();
  return (
    <span className="numeric" title={exact(at)}>
      Next try {until(at, now)}.
    </span>
  );
}
