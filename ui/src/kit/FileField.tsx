import { FolderOpen } from "lucide-react";
import { apiError, type ApiError } from "../backend/backend";
import { Button } from "./Button";
import { TextField } from "./Field";
import { useBackend } from "../store/context";

/** A file of this machine: typed, or chosen in the system's dialog. */
export function FileField({
  value,
  placeholder = "~/rollcall-annotations.json",
  write,
  invalid,
  busy,
  onChange,
  onTrouble,
}: {
  value: string;
  placeholder?: string;
  write: boolean;
  invalid: boolean;
  busy: boolean;
  onChange: (file: string, chosen: boolean) => void;
  onTrouble: (error: ApiError) => void;
}) {
  const backend = useBackend();
  return (
    <div className="flex items-end gap-2">
      <TextField
        className="flex-1"
        label="File on this machine"
        placeholder={placeholder}
        value={value}
        aria-invalid={invalid}
        onChange={(event) => onChange(event.target.value, false)}
      />
      <Button
        className="h-8"
        disabled={busy}
        onClick={() =>
          backend.chooseFile(write).then(
            (file) => file !== null && onChange(file, true),
            (thrown: unknown) => onTrouble(apiError(thrown)),
          )
        }
      >
        <FolderOpen size={14} aria-hidden />
        Choose…
      </Button>
    </div>
  );
}
