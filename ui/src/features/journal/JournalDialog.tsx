import { Dialog } from "../../kit/Dialog";
import { JournalLines } from "./JournalLines";

/** What changed where, and who did it. */
export function JournalDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog
      title="Journal"
      description="What roll calls and people changed, newest first."
      width="w-[620px]"
      reading
      onClose={onClose}
    >
      <JournalLines workspace={null} />
    </Dialog>
  );
}
