import type { Banner } from "../../backend/backend";
import { Button } from "../../kit/Button";
import { Dialog } from "../../kit/Dialog";
import { useRegistry } from "../../store/context";

/** What a server says to whoever signs in, as it says it. */
export function BannerDialog({ banner, onClose }: { banner: Banner; onClose: () => void }) {
  const label = useRegistry().hostById.get(banner.host)?.label ?? "A host";
  return (
    <Dialog
      title={`${label} says`}
      description="This is the text the server shows to whoever signs in. These are not the words of Rollcall."
      width="w-[560px]"
      reading
      onClose={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <p className="rounded-md bg-sunken px-2.5 py-1.5 font-mono text-sm whitespace-pre-wrap wrap-anywhere" data-selectable>
        {banner.text}
      </p>
    </Dialog>
  );
}
