import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import type { Backend } from "./backend/backend";
import { makeStores } from "./store/context";
import "./kit/theme.css";

async function chooseBackend(): Promise<Backend> {
  // A browser has no application behind it; there, and only in builds made for it, data is made up.
  if ((import.meta.env.DEV || import.meta.env.MODE === "demo") && !("__TAURI_INTERNALS__" in window)) {
    const { demoBackend } = await import("./backend/demo");
    return demoBackend(new URLSearchParams(location.search));
  }
  const { tauri } = await import("./backend/tauri");
  return tauri;
}

const place = document.getElementById("root");
if (place !== null) {
  const stores = makeStores(await chooseBackend());
  createRoot(place).render(
    <StrictMode>
      <App stores={stores} />
    </StrictMode>,
  );
}
