import { useTheme } from "../store/theme";

/** Shows the whole window in the theme that was chosen. */
export function Theme() {
  useTheme();
  return null;
}
