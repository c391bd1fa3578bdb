import { useEffect, useRef, useState } from "react";
import type { HostRef, HostRow } from "../backend/backend";
import { useLines, useOperations, useRegistry, useStores, useView } from "../store/context";
import { rowIds } from "../store/list";
import { prepare } from "../store/search";

/** Milliseconds without a change until what a search looks in is made anew. */
const READY = 300;

function news(before: HostRow, host: HostRow): string | null {
  if (before.state.is === host.state.is) return null;
  switch (host.state.is) {
    case "idle":
      return before.state.is === "calling" ? `${host.label} answered.` : null;
    case "waiting":
    case "needsYou":
      // A retry that failed for the same reason is no news.
      return host.state.is === "needsYou" ? `${host.label} needs you: ${host.state.reason.message}` : `${host.label} is unreachable: ${host.state.reason.message}`;
    case "suspended":
      return `${host.label} is suspended.`;
    case "calling":
      return null;
  }
}

/** Tells those who do not see the screen what hosts answered and what a search found. */
export function Announcer() {
  const { hosts, phase } = useRegistry();
  const { query } = useView();
  const lines = useLines();
  const [words, setWords] = useState("");
  const known = useRef(new Map<HostRef, HostRow>());
  const said = useRef(new Map<HostRef, string>());

  useEffect(() => {
    if (phase !== "ready") return;
    const told: string[] = [];
    for (const host of hosts) {
      const before = known.current.get(host.id);
      const sentence = before === undefined ? null : news(before, host);
      if (sentence !== null && said.current.get(host.id) !== sentence) {
        told.push(sentence);
        said.current.set(host.id, sentence);
      }
    }
    known.current = new Map(hosts.map((host) => [host.id, host]));
    if (told.length > 0) setWords(told.join(" "));
  }, [hosts, phase]);

  // What is shown as a message in passing is announced by it.
  const { said: done } = useOperations();
  useEffect(() => {
    if (done?.quiet === true) setWords(done.words);
  }, [done]);

  // What a search looks in is made ready before somebody types the first letter.
  const { rows, hostById, rootById, groupById } = useRegistry();
  const { derived } = useStores();
  useEffect(() => {
    const timer = setTimeout(() => prepare(derived.values(rows), { hostById, rootById, groupById }), READY);
    return () => clearTimeout(timer);
  }, [derived, rows, hostById, rootById, groupById]);

  const count = rowIds(lines).length;
  useEffect(() => {
    if (query === "") return;
    const timer = setTimeout(() => setWords(count === 1 ? "1 workspace found." : `${count} workspaces found.`), 500);
    return () => clearTimeout(timer);
  }, [query, count]);

  return (
    <div role="status" aria-live="polite" data-testid="announcements" className="sr-only">
      {words}
    </div>
  );
}
