import { describe, expect, it } from "vitest";
import type { WorkspaceRow } from "../../backend/backend";
import { aRow } from "../../backend/fake";
import { MOST, picture } from "./tiles";

const row = (id: string, size: number | null, part: Partial<WorkspaceRow> = {}) =>
  aRow({ id, host: "h1", root: "r1", size, ...part });

describe("a picture of what takes up space", () => {
  it("gives each workspace an area by its size, from the largest down", () => {
    const { tiles } = picture([row("small", 1_000), row("large", 9_000), row("none", null)], 400, 200);
    expect(tiles.map((tile) => tile.key)).toEqual(["large", "small"]);
    const [large, small] = tiles.map((tile) => tile.width * tile.height);
    expect((large ?? 0) / (small ?? 1)).toBeGreaterThan(6);
    expect((large ?? 0) / (small ?? 1)).toBeLessThan(13);
  });

  it("keeps together what lies on one host and in one repository, and nothing overlaps", () => {
    const rows = Array.from({ length: 60 }, (_, at) =>
      row(`w${at}`, 100 + at * 37, { host: `h${at % 2}`, root: `r${at % 6}` }),
    );
    const { tiles, frames } = picture(rows, 900, 500);
    expect(frames.filter((frame) => frame.root === null)).toHaveLength(2);
    expect(frames.filter((frame) => frame.root !== null)).toHaveLength(6);
    for (const tile of tiles) {
      const frame = frames.find((each) => each.root === tile.row?.root && each.host === tile.row?.host);
      if (frame === undefined) throw new Error("a tile without a frame");
      expect(tile.x).toBeGreaterThanOrEqual(frame.x);
      expect(tile.y).toBeGreaterThanOrEqual(frame.y);
      expect(tile.x + tile.width).toBeLessThanOrEqual(frame.x + frame.width);
      expect(tile.y + tile.height).toBeLessThanOrEqual(frame.y + frame.height);
    }
    for (const [at, one] of tiles.entries()) {
      for (const other of tiles.slice(at + 1)) {
        const apart =
          one.x + one.width <= other.x || other.x + other.width <= one.x || one.y + one.height <= other.y || other.y + other.height <= one.y;
        expect(apart).toBe(true);
      }
    }
  });

  it("draws the name of a host only where there are several, and of what has room for one", () => {
    const { frames } = picture([row("a", 10), row("b", 10)], 300, 200);
    expect(frames.map((frame) => [frame.root, frame.named])).toEqual([["r1", true]]);
    expect(picture([row("a", 10)], 40, 40).frames[0]?.named).toBe(false);
  });

  it("draws the smallest of very many together, and loses none of their size", () => {
    const rows = Array.from({ length: MOST + 50 }, (_, at) => row(`w${at}`, at < MOST ? 1_000 : 10));
    const { tiles } = picture(rows, 1_200, 800);
    expect(tiles).toHaveLength(MOST + 1);
    const together = tiles.find((tile) => tile.row === null);
    expect([together?.count, together?.kilobytes]).toEqual([50, 500]);
  });

  it("counts once what lies inside the folder of another one, whatever is called alike beside it", () => {
    const rows = [
      row("repository", 9_000, { path: "/src/app" }),
      row("inside", 2_000, { path: "/src/app/trees/one" }),
      row("deeper", 500, { path: "/src/app/trees/one/deep" }),
      row("beside", 3_000, { path: "/src/app-two" }),
      row("elsewhere", 4_000, { path: "/src/app/trees/one", host: "h2" }),
      row("outgrown", 10, { path: "/tmp" }),
      row("larger", 700, { path: "/tmp/larger" }),
    ];
    const { tiles } = picture(rows, 900, 500);
    expect(Object.fromEntries(tiles.map((tile) => [tile.key, tile.kilobytes]))).toEqual({
      repository: 7_000,
      inside: 1_500,
      deeper: 500,
      beside: 3_000,
      elsewhere: 4_000,
      outgrown: 0,
      larger: 700,
    });
  });

  it("is nothing without room, and without anything that is measured", () => {
    expect(picture([row("a", 10)], 0, 0).tiles).toEqual([]);
    expect(picture([row("a", null)], 300, 200).tiles).toEqual([]);
    expect(picture([row("a", 0), row("b", 0)], 300, 200).tiles).toHaveLength(2);
  });

  it("is laid out fast enough for ten thousand workspaces", () => {
    const rows = Array.from({ length: 10_000 }, (_, at) => row(`w${at}`, (at * 7919) % 5_000, { root: `r${at % 50}` }));
    const begun = performance.now();
    expect(picture(rows, 1_200, 800).tiles.length).toBeGreaterThan(MOST);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
