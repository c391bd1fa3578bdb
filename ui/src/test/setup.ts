import "@testing-library/jest-dom/vitest";
import { cleanup } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { hush } from "../kit/Toast";

// jsdom lays nothing out: a virtualised list needs a height to fill.
export const HEIGHT = 600;
for (const [name, size] of [
  ["offsetHeight", HEIGHT],
  ["clientHeight", HEIGHT],
  ["offsetWidth", 900],
  ["clientWidth", 900],
] as const) {
  Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => size });
}

class NoResize implements ResizeObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
vi.stubGlobal("ResizeObserver", NoResize);
vi.stubGlobal("matchMedia", (query: string) => ({
  matches: false,
  media: query,
  onchange: null,
  addEventListener: () => {},
  removeEventListener: () => {},
  addListener: () => {},
  removeListener: () => {},
  dispatchEvent: () => false,
}));
vi.stubGlobal("CSS", { escape: (text: string) => text.replaceAll(/[^\w-]/g, (sign) => `\\${sign}`) });
Object.defineProperty(window, "innerWidth", { configurable: true, value: 1180 });
Element.prototype.scrollIntoView = () => {};
Element.prototype.getAnimations = () => [];
Element.prototype.scrollTo = function scrollTo(this: Element, options?: ScrollToOptions | number) {
  if (typeof options === "object") this.scrollTop = options.top ?? 0;
  this.dispatchEvent(new Event("scroll"));
} as typeof Element.prototype.scrollTo;

afterEach(() => {
  hush();
  cleanup();
});
