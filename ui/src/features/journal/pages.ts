import { useCallback, useEffect, useRef, useState } from "react";
import { apiError, JOURNAL_PAGE, type ApiError, type JournalFilter, type JournalLine } from "../../backend/backend";
import { useBackend, useRegistry } from "../../store/context";

/** Milliseconds without a change before the newest part is read anew. */
const SETTLE = 300;

interface Pages {
  /** Newest first; `null` until they were read once. */
  readonly lines: readonly JournalLine[] | null;
  /** Whether there are older ones. */
  readonly more: boolean;
  /** What reading came to last, if it did not work. */
  readonly error: ApiError | null;
  /** Whether older ones are being read. */
  readonly reading: boolean;
}

/** How reading further back ended: where it was to, where nothing is older, after so many pages, or not by itself. */
export type BackTo = "there" | "end" | "enough" | "stopped";

export interface Journal extends Pages {
  /** Reads pages until there is a line that is wanted, but no more than `most` of them. Another call ends this one. */
  readonly readBack: (wanted: (line: JournalLine) => boolean, most: number) => Promise<BackTo>;
}

const UNREAD: Pages = { lines: null, more: false, error: null, reading: false };

/** The journal, page by page; it grows as things happen. Another filter is another screen, with a `key` of its own. */
export function useJournal({ workspace, host, actor }: JournalFilter): Journal {
  const backend = useBackend();
  const { revision } = useRegistry();
  const [pages, setPages] = useState(UNREAD);
  // What the state is already, for those who wait for it.
  const held = useRef(UNREAD);
  const begun = useRef(false);
  const turns = useRef({ newest: 0, back: 0 });

  const put = useCallback((part: Partial<Pages>) => {
    held.current = { ...held.current, ...part };
    setPages(held.current);
  }, []);
  const ask = useCallback(
    (before: number | null) => backend.journal(before, { workspace, host, actor }),
    [backend, workspace, host, actor],
  );

  const readNewest = useCallback(() => {
    turns.current.newest += 1;
    const mine = turns.current.newest;
    begun.current = true;
    ask(null).then(
      (found) => {
        if (turns.current.newest !== mine) return;
        const old = held.current.lines;
        const last = found.at(-1)?.number;
        const full = found.length >= JOURNAL_PAGE;
        const joins = old?.[0] !== undefined && last !== undefined && (!full || old[0].number >= last);
        // What was read further back stays, unless so much happened that there would be a gap before it.
        if (joins) put({ lines: [...found, ...old.filter((line) => line.number < last)], error: null });
        else put({ lines: found, more: full, error: null });
      },
      (thrown: unknown) => turns.current.newest === mine && put({ error: apiError(thrown) }),
    );
  }, [ask, put]);

  useEffect(() => {
    const timer = setTimeout(readNewest, begun.current ? SETTLE : 0);
    return () => clearTimeout(timer);
  }, [readNewest, revision]);

  useEffect(() => {
    const all = turns.current;
    return () => {
      // What is still on its way is of no use to anybody any more.
      all.newest += 1;
      all.back += 1;
    };
  }, []);

  const readBack = useCallback(
    async (wanted: (line: JournalLine) => boolean, most: number): Promise<BackTo> => {
      turns.current.back += 1;
      const mine = turns.current.back;
      const ended = () => turns.current.back !== mine;
      put({ reading: true });
      let outcome: BackTo = "enough";
      for (let read = 0; ; read += 1) {
        const { lines, more } = held.current;
        const last = lines?.at(-1);
        if (lines?.some(wanted) === true) outcome = "there";
        else if (!more || last === undefined) outcome = "end";
        else if (read < most) {
          try {
            const found = await ask(last.number);
            if (ended()) return "stopped";
            const now = held.current.lines;
            // The newest part may have been read anew meanwhile, and have thrown away what this belongs to.
            if (now?.at(-1)?.number === last.number) {
              put({ lines: [...now, ...found], more: found.length >= JOURNAL_PAGE, error: null });
            }
            continue;
          } catch (thrown) {
            if (ended()) return "stopped";
            put({ error: apiError(thrown) });
            outcome = "stopped";
          }
        }
        put({ reading: false });
        return outcome;
      }
    },
    [ask, put],
  );

  return { ...pages, readBack };
}
