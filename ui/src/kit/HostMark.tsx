import { Circle, CircleAlert, CircleCheck, CirclePause, Laptop, LoaderCircle, Server, Unplug } from "lucide-react";
import type { HostRow } from "../backend/backend";

/** What a host is doing, in one or two words. */
export function hostWord(host: HostRow): string {
  switch (host.state.is) {
    case "idle":
      return host.answeredAt === null ? "not called yet" : "answered";
    case "calling":
      return "calling";
    case "waiting":
      return "unreachable";
    case "needsYou":
      return "needs you";
    case "suspended":
      return "suspended";
  }
}

/** What a host is doing, by shape. The word stands beside it wherever it is shown. */
export function HostMark({ host, size = 14 }: { host: HostRow; size?: number }) {
  const common = { size, "aria-hidden": true } as const;
  switch (host.state.is) {
    case "idle":
      return host.answeredAt === null ? (
        <Circle {...common} className="shrink-0 text-soft" />
      ) : (
        <CircleCheck {...common} className="shrink-0 text-ok" />
      );
    case "calling":
      return <LoaderCircle {...common} className="turning shrink-0 text-accent" />;
    case "waiting":
      return <Unplug {...common} className="shrink-0 text-edit" />;
    case "needsYou":
      return <CircleAlert {...common} className="shrink-0 text-danger" />;
    case "suspended":
      return <CirclePause {...common} className="shrink-0 text-soft" />;
  }
}

/** This machine, or another. */
export function HostIcon({ host }: { host: HostRow }) {
  const Icon = host.local ? Laptop : Server;
  return <Icon size={13} aria-hidden className="shrink-0" />;
}
