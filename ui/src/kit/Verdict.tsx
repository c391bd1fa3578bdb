import { Ban, CircleHelp, ShieldCheck, TriangleAlert, type LucideIcon } from "lucide-react";
import type { VerdictItem, VerdictKind } from "../backend/backend";
import { Badge } from "./Badge";
import { cx } from "./cx";

const WORDS: Record<VerdictKind, { word: string; title: string; icon: LucideIcon; tone: string }> = {
  safe: {
    word: "safe to delete",
    title: "Nothing of it exists only here",
    icon: ShieldCheck,
    tone: "bg-ok-soft text-ok",
  },
  loses: { word: "would lose work", title: "Something of it exists nowhere else", icon: TriangleAlert, tone: "bg-edit-soft text-edit" },
  blocked: { word: "cannot go", title: "Something keeps it from going", icon: Ban, tone: "bg-danger-soft text-danger" },
  unknown: {
    word: "not checked",
    title: "Something that has to be known before it goes is not",
    icon: CircleHelp,
    tone: "bg-sunken text-soft",
  },
};

/** What is to be said of deleting a workspace, without a mark. */
export function verdictWord(verdict: VerdictKind): string {
  return WORDS[verdict].word;
}

/** The mark of a verdict; its word stands beside it, or is in the name of what has it. */
export function VerdictIcon({ verdict, size = 12, className }: { verdict: VerdictKind; size?: number; className?: string }) {
  const Icon = WORDS[verdict].icon;
  return <Icon size={size} aria-hidden className={cx("shrink-0", className)} />;
}

/** What is to be said of deleting a workspace, in two or three words. */
export function VerdictBadge({ verdict }: { verdict: VerdictKind }) {
  const { word, ...look } = WORDS[verdict];
  return <Badge {...look}>{word}</Badge>;
}

const TONES = { loss: "text-edit", block: "text-danger", unknown: "text-soft" } as const;
const MARKS = { loss: TriangleAlert, block: Ban, unknown: CircleHelp } as const;

/** What a verdict follows from, each with its names. */
export function VerdictItems({ items }: { items: readonly VerdictItem[] }) {
  return (
    <ul className="flex flex-col gap-0.5 text-sm">
      {items.map((item) => {
        const Icon = MARKS[item.kind];
        return (
          <li key={`${item.kind} ${item.words}`} className="flex gap-1.5">
            <Icon size={12} aria-hidden className={cx("mt-[3px] shrink-0", TONES[item.kind])} />
            <span className="min-w-0 break-words">
              {item.words}
              {item.names.length > 0 && (
                <span className="text-soft">: {item.names.slice(0, 5).join(", ")}
                {item.names.length > 5 && ` and ${item.names.length - 5} more`}</span>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
