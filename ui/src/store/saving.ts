// Writing something into a file of this machine: which one, and whether one that is there is replaced.

import { useState } from "react";
import type { ApiError } from "../backend/backend";
import { useTask } from "./task";

/** A file that is `suggested` until the person names another. `field` is what its field needs. */
export function useSaving(suggested: () => string) {
  const [file, setFile] = useState(suggested);
  // The system's dialog has asked already.
  const [chosen, setChosen] = useState(false);
  const { busy, error, run, show } = useTask();
  const exists = error?.code === "file_exists";
  return {
    file,
    replace: chosen || exists,
    exists,
    ready: !busy && file.trim() !== "",
    error,
    run,
    field: {
      value: file,
      write: true,
      invalid: error !== null,
      busy,
      onTrouble: (trouble: ApiError) => show(trouble),
      onChange: (path: string, byDialog: boolean) => {
        setFile(path);
        setChosen(byDialog);
        show(null);
      },
    },
  };
}
