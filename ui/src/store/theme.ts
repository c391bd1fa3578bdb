// Light, dark, or as the system has it.

import { useEffect } from "react";
import { useRegistry } from "./context";
import { usePreferences } from "./preferences";

/** Shows the window in the theme a person chose. What is shown stays while the registry cannot be read. */
export function useTheme(): void {
  const { phase } = useRegistry();
  const { theme } = usePreferences().preferences;
  const known = phase === "ready";
  useEffect(() => {
    if (!known) return;
    const { dataset } = document.documentElement;
    if (theme === "system") delete dataset["theme"];
    else dataset["theme"] = theme;
  }, [known, theme]);
}
