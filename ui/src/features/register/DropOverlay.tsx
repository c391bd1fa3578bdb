import { FolderDown } from "lucide-react";

/** Says what dropping would do, while folders hover over the window. */
export function DropOverlay() {
  return (
    <div role="status" className="pointer-events-none fixed inset-0 z-50 flex items-center justify-center bg-veil p-3">
      <div className="flex h-full w-full flex-col items-center justify-center gap-3 rounded-xl border-2 border-dashed border-accent bg-page/90">
        <FolderDown size={36} aria-hidden className="text-accent" />
        <p className="text-xl font-semibold">Drop folders to register them</p>
        <p className="text-soft">A repository brings all of its worktrees.</p>
      </div>
    </div>
  );
}
