import { Check, Copy as CopyIcon } from "lucide-react";
import { useEffect, useState } from "react";
import { IconButton } from "./Button";
import { say } from "./Toast";

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
      onClick={() => {
        navigator.clipboard.writeText(text).then(
          () => setCopied(true),
          () => say("The clipboard could not be used", { detail: "Select the text and copy it by hand." }),
        );
      }}
    >
      {copied ? <Check size={13} aria-hidden /> : <CopyIcon size={13} aria-hidden />}
    </IconButton>
  );
}
