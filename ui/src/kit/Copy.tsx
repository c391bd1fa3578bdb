import { Check, Copy as CopyIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./Button";
import { say } from "./Toast";

/** Copies `text`, then calls `done`; says so if it cannot. */
export function copy(text: string, done: () => void) {
  navigator.clipboard
    .writeText(text)
    .then(done, () => say("The clipboard could not be used", { detail: "Select the text and copy it by hand." }));
}

/** Copies `text`; says so by a tick. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      label={copied ? "Copied" : label}
      className="size-6"
      onClick={() => copy(text, () => setCopied(true))}
    >
      {copied ? <Check size={13} aria-hidden /> : <CopyIcon size={13} aria-hidden />}
    </IconButton>
  );
}
