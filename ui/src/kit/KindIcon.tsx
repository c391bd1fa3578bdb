import { Folder, FolderGit2, Package, Split, type LucideIcon } from "lucide-react";
import type { Kind } from "../backend/backend";

const KIND_ICONS: Record<Kind, LucideIcon> = {
  repository: FolderGit2,
  bare: Package,
  worktree: Split,
  directory: Folder,
};

export const KIND_WORDS: Record<Kind, string> = {
  repository: "repository",
  bare: "bare repository",
  worktree: "worktree",
  directory: "plain directory",
};

/** What a workspace is, by shape and for those who hear it by word. */
export function KindIcon({ kind, size = 15 }: { kind: Kind; size?: number }) {
  const Icon = KIND_ICONS[kind];
  return (
    <span title={KIND_WORDS[kind]} className="inline-flex shrink-0 text-soft">
      <Icon size={size} aria-hidden />
      <span className="sr-only">{KIND_WORDS[kind]}</span>
    </span>
  );
}
