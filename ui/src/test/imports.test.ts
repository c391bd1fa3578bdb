import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";

const SOURCE = join(import.meta.dirname, "..");
const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name) && name !== "bindings.ts")
  .map((name) => ({ name: name.replaceAll("\\", "/"), text: readFileSync(join(SOURCE, name), "utf8") }));

function imports(text: string): { from: string; typesOnly: boolean }[] {
  return [...text.matchAll(/(?:import|export)\s+(type\s)?[^;"']*?["']([^"']+)["']|import\(\s*["']([^"']+)["']/g)].map(
    (match) => ({ from: match[2] ?? match[3] ?? "", typesOnly: match[1] !== undefined }),
  );
}

function target(name: string, from: string): string {
  return from.startsWith(".") ? relative(SOURCE, join(SOURCE, name, "..", from)).replaceAll("\\", "/") : from;
}

describe("edges of the window's source", () => {
  it("finds the files it is about", () => {
    expect(files.length).toBeGreaterThan(40);
  });

  it("only the backend's Tauri part uses Tauri or the bindings' commands", () => {
    const found = files
      .filter(({ name }) => name !== "backend/tauri.ts")
      .filter(({ name, text }) =>
        imports(text).some(
          ({ from, typesOnly }) =>
            from.startsWith("@tauri-apps/") || (target(name, from) === "bindings" && !(typesOnly && name === "backend/backend.ts")),
        ),
      );
    expect(found.map(({ name }) => name)).toEqual([]);
  });

  it("features know the kit, the backend and the store, and no other feature", () => {
    const wrong = files.flatMap(({ name, text }) => {
      const feature = /^features\/([^/]+)\//.exec(name)?.[1];
      if (feature === undefined || name.includes(".test.")) return [];
      return imports(text)
        .map(({ from }) => target(name, from))
        .filter((to) => (to.startsWith("features/") && !to.startsWith(`features/${feature}/`)) || to.startsWith("app/"))
        .map((to) => `${name} -> ${to}`);
    });
    expect(wrong).toEqual([]);
  });

  it("the kit and the store know nothing of screens", () => {
    const wrong = files.flatMap(({ name, text }) =>
      /^(kit|store)\//.test(name) && !name.includes(".test.")
        ? imports(text)
            .map(({ from }) => target(name, from))
            .filter((to) => to.startsWith("features/") || to.startsWith("app/"))
            .map((to) => `${name} -> ${to}`)
        : [],
    );
    expect(wrong).toEqual([]);
  });
});
