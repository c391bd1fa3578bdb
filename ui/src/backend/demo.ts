// Made-up hosts for looking at the window in a browser. The address chooses a scene: `?scene=first`,
// `?scene=newer`, `?rows=10000`.

import { aHost, aRoot, aRow, apiErrorOf, FakeBackend } from "./fake";
import type { Actor, Backend, ChangeCounts, VerdictKind, WorkspaceRow } from "./backend";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

function before(milliseconds: number): string {
  return new Date(Date.now() - milliseconds).toISOString();
}

function edits(staged: number, unstaged: number, untracked: number, conflicted = 0): ChangeCounts {
  return { staged, unstaged, untracked, conflicted };
}

const HOME = "/home/ada";

const VERDICTS: readonly VerdictKind[] = ["loses", "safe", "unknown", "blocked"];

function seed(fake: FakeBackend) {
  fake.hosts = [
    aHost({ id: "h1", label: "laptop", local: true, address: "this machine", answeredAt: before(25_000) }),
    aHost({
      id: "h2",
      label: "build-box",
      address: "ada@build-box.lan",
      answeredAt: before(3 * HOUR),
      state: {
        is: "waiting",
        since: before(3 * HOUR),
        until: before(-95_000),
        reason: {
          code: "timed_out",
          message: "build-box did not answer within 10 s.",
          hints: ["Check that it is switched on and that the network reaches it."],
          key: null,
          openssh: false,
        },
      },
    }),
    aHost({
      id: "h3",
      label: "gpu-node",
      address: "ada@203.0.113.9:2222",
      answeredAt: null,
      system: null,
      gitVersion: null,
      state: {
        is: "needsYou",
        since: before(4 * MINUTE),
        reason: {
          code: "host_key_unknown",
          message: "The key of gpu-node is in no known-hosts file.",
          hints: ["Compare its fingerprint, then trust it."],
          key: { algorithm: "ssh-ed25519", fingerprint: "SHA256:Qm1c0x2bFh9dTtE6o8y3XvW5rJkLpNsZaUeGiHqYwB4", known: [], hop: null },
          openssh: false,
        },
      },
    }),
    aHost({ id: "h4", label: "old-mini", address: "old-mini", answeredAt: before(19 * DAY), state: { is: "suspended" } }),
  ];
  const root = (id: string, host: string, path: string, part = {}) => aRoot({ id, host, path, ...part });
  fake.roots = [
    root("r1", "h1", `${HOME}/src/atlas`),
    root("r2", "h1", `${HOME}/src/tide`, { notes: ["The record spike has an empty gitdir file."] }),
    root("r3", "h1", `${HOME}/writing`, { kind: "directory" }),
    root("r4", "h2", "/srv/work/atlas", { assertedAt: before(3 * HOUR), factsAt: before(3 * HOUR) }),
    root("r5", "h4", "/Users/ada/dotfiles", { assertedAt: before(19 * DAY), factsAt: before(19 * DAY) }),
  ];
  fake.groups = [
    { id: "g1", name: "Release 4", parent: null },
    { id: "g2", name: "Blocking", parent: "g1" },
    { id: "g3", name: "Some day", parent: null },
  ];
  fake.views = [
    { id: "v1", name: "Old and unpushed", definition: JSON.stringify({ place: { is: "filter", filter: "unpushed" }, query: "older:7d", layout: {} }) },
  ];
  let made = 0;
  const row = (host: string, on: string, path: string, part: Partial<WorkspaceRow> = {}) => {
    made += 1;
    const name = path.slice(path.lastIndexOf("/") + 1);
    const id = `w${String(made).padStart(3, "0")}`;
    // Every fifth is not measured yet.
    const size = made % 5 === 0 ? null : ((made * 7_919) % 4_000) * 1_024 + 900;
    const made_row = aRow({ id, host, root: on, name, path, branch: name, size, verdict: VERDICTS[made % 4] ?? "unknown", ...part });
    fake.rows.set(made_row.id, made_row);
    return made_row.id;
  };
  const atlas = row("h1", "r1", `${HOME}/src/atlas`, { kind: "repository", branch: "main", behind: 12, lastCommitAt: before(2 * DAY) });
  const tiles = row("h1", "r1", `${HOME}/src/atlas-tiles`, {
    branch: "feature/vector-tiles",
    changes: edits(2, 5, 1),
    unpushed: { is: "commits", count: 3 },
    ahead: 3,
    lastCommitAt: before(38 * MINUTE),
    tags: ["review", "maps"],
    pinned: true,
    noted: true,
  });
  row("h1", "r1", `${HOME}/src/atlas-hotfix`, { branch: "fix/zoom-overflow", unpushed: { is: "commits", count: 1 }, ahead: 1, behind: 2, lastCommitAt: before(5 * HOUR) });
  row("h1", "r1", `${HOME}/src/atlas-bisect`, { branch: "9f2c1ab4d", head: "detached", operation: "bisect", upstream: "none", lastCommitAt: before(60 * DAY) });
  row("h1", "r1", `${HOME}/src/atlas-merge`, { branch: "merge/renderer", changes: edits(14, 0, 0, 3), operation: "merge", unpushed: { is: "commits", count: 22 }, upstream: "gone", lastCommitAt: before(20 * HOUR), tags: ["blocked"] });
  row("h1", "r1", `${HOME}/usb/atlas-field`, { branch: "field-notes", presence: "away", locked: true, factsAsOf: before(6 * DAY), unpushed: { is: "commits", count: 2 }, lastCommitAt: before(8 * DAY), noted: true });
  row("h1", "r1", `${HOME}/src/atlas-spike`, { branch: "spike/wasm", presence: "missing", factsAsOf: before(9 * DAY), unpushed: { is: "commits", count: 4 }, lastCommitAt: before(11 * DAY), noted: true, tags: ["ideas"] });
  row("h1", "r2", `${HOME}/src/tide`, { kind: "repository", branch: "trunk", changes: edits(0, 0, 2), unpushed: { is: "noRemote" }, upstream: "none", lastCommitAt: before(90 * DAY) });
  row("h1", "r2", `${HOME}/src/tide-lfs`, { branch: "assets", changes: null, factsUnknown: false, lastCommitAt: before(91 * DAY) });
  row("h1", "r2", `${HOME}/src/tide-new`, { branch: "rewrite", head: "unborn", unpushed: { is: "noRemote" }, upstream: "none", changes: edits(6, 0, 0), lastCommitAt: null });
  row("h1", "r2", `${HOME}/src/tide-worktrees/a␊strange “name”`, { branch: "odd/names", presence: "prunable", changes: null, unpushed: { is: "unknown" }, upstream: "unknown", lastCommitAt: null, factsUnknown: true });
  row("h1", "r3", `${HOME}/writing`, { kind: "directory", branch: null, head: "none", changes: null, unpushed: { is: "unknown" }, upstream: "unknown", lastCommitAt: null, tags: ["book"], pinned: true });
  row("h2", "r4", "/srv/work/atlas", { kind: "bare", branch: "main", changes: null, upstream: "none", lastCommitAt: before(2 * DAY) });
  row("h2", "r4", "/srv/work/atlas-nightly", { branch: "nightly", changes: edits(0, 1, 9), lastCommitAt: before(4 * HOUR), tags: ["ci"] });
  row("h2", "r4", "/srv/work/atlas-bench", { branch: "perf/quadtree", unpushed: { is: "commits", count: 7 }, ahead: 7, lastCommitAt: before(3 * DAY), tags: ["maps"] });
  row("h2", "r4", "/srv/work/atlas-secret", { branch: null, head: "none", presence: "notAsserted", changes: null, unpushed: { is: "unknown" }, upstream: "unknown", lastCommitAt: null, factsUnknown: true });
  row("h4", "r5", "/Users/ada/dotfiles", { kind: "repository", branch: "main", lastCommitAt: before(200 * DAY) });
  fake.notes.set(
    tiles,
    "Works on the laptop, not yet on the GPU node.\n\n- ask Noor about the index format\n- measure before merging",
  );
  fake.inspected.set("w007", { missingSince: before(9 * DAY), recreated: false });
  fake.inspected.set("w006", { lockReason: "on the field drive" });
  fake.inspected.set("w011", { presenceReason: "gitdir file points to non-existent location", unknown: ["Facts: its path does not exist"] });
  fake.inspected.set("w009", { unknown: ["Changes: a content filter (lfs) would have to run"] });
  const journal = (ago: number, actor: Actor, host: string, workspace: string | null, text: string) =>
    fake.lines.push({ number: 1_000 - fake.lines.length, at: before(ago), actor, host, workspace, text });
  journal(25_000, "rollCall", "h1", tiles, "atlas-tiles: 3 commits are on no remote, before it was 2.");
  journal(40 * MINUTE, "person", "h1", tiles, "The note of atlas-tiles was changed.");
  journal(3 * HOUR, "rollCall", "h2", null, "build-box answered with 4 workspaces.");
  journal(2 * DAY, "person", "h1", tiles, "atlas-tiles was pinned.");
  journal(9 * DAY, "rollCall", "h1", "w007", "atlas-spike is missing from laptop.");
  journal(12 * DAY, "person", "h1", atlas, "atlas was registered on laptop.");
  for (let day = 13; day < 60; day += 1) {
    for (let count = (day * 13) % 9; count > 0; count -= 1) {
      const at = day * DAY + (9 - count) * HOUR;
      if (count % 4 === 3) journal(at, "sweep", "h1", null, "atlas-old was removed from the trash of laptop.");
      else if (count % 3 === 0) journal(at, "person", "h1", tiles, "The note of atlas-tiles was changed.");
      else journal(at, "rollCall", count % 2 === 0 ? "h2" : "h1", null, "atlas-nightly is at another commit.");
    }
  }
  fake.seen = 998;
}

/** Everything that hosts can leave open. */
function decisions(fake: FakeBackend) {
  for (const [id, row] of fake.rows) {
    if (row.host === "h2") fake.rows.set(id, { ...row, presence: "unconfirmed" });
  }
  for (let index = 0; index < 14; index += 1) {
    const path = `/srv/work/atlas-${String(index).padStart(2, "0")}`;
    const id = `v${index}`;
    fake.rows.set(id, aRow({ id, host: "h2", root: "r4", name: path.slice(10), path, presence: "unconfirmed", noted: index === 3 }));
  }
  fake.hosts = fake.hosts.map((host) =>
    host.id === "h2"
      ? { ...host, state: { is: "idle" }, unconfirmed: 18 }
      : host.id === "h4"
        ? { ...host, state: { is: "idle" }, machineOffered: "8f14e45fceea167a5a36dedd4bea2543" }
        : host,
  );
  const conflict = {
    path: `${HOME}/src/atlas-shared`,
    claims: [
      { id: "1", root: "r1", kind: "worktree" as const, repository: `${HOME}/src/atlas/.git`, adminName: "atlas-shared" },
      { id: "2", root: "r2", kind: "worktree" as const, repository: `${HOME}/src/tide/.git`, adminName: "shared" },
    ],
  };
  fake.roots = fake.roots.map((root) => (root.id === "r1" || root.id === "r2" ? { ...root, conflicts: [conflict] } : root));
  fake.report = {
    exportedAt: before(3 * DAY),
    changed: 2,
    unchanged: 11,
    unknown: 1,
    groups: 1,
    views: 0,
    rows: [
      { host: "laptop", path: `${HOME}/src/atlas-tiles`, fields: ["note", "tags"] },
      { host: "laptop", path: `${HOME}/src/atlas-merge`, fields: ["tags", "pin", "colour"] },
    ],
    missing: [{ host: "build-box", path: "/srv/work/atlas-old", fields: [] }],
  };
}

const ALIASES = ["build-box", "gpu-node", "pi", "staging.example", "nas"].map((alias, index) => ({
  alias,
  hostName: index === 2 ? "192.0.2.31" : `${alias}.lan`,
  user: index % 2 === 0 ? "ada" : null,
  port: index === 4 ? 2200 : null,
  added: false,
}));

/** A backend for the scene that the address asks for. */
export function demoBackend(query: URLSearchParams): Backend {
  const theme = query.get("theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset["theme"] = theme;
  const fake = new FakeBackend();
  fake.aliases = ALIASES;
  switch (query.get("scene")) {
    case "newer":
      for (let again = 0; again < 20; again += 1) {
        fake.failNext(
          "overview",
          apiErrorOf("registry_newer", "The registry was made by a newer version of Rollcall (schema 9, this one knows 3).", [
            "Start the newer version.",
            "To go back, restore a backup made by this version.",
          ]),
        );
      }
      break;
    case "damaged":
      seed(fake);
      fake.failNext(
        "overview",
        apiErrorOf("registry_damaged", "The registry `/home/ada/.local/share/rollcall/registry.sqlite3` cannot be used: it is empty.", [
          "The file was left as it is. Restore a backup, or start anew: the file is set aside, never deleted.",
        ]),
      );
      fake.copies = [1, 2, 3, 4].map((days) => ({
        name: `registry-${days}`,
        takenAt: before(days * DAY),
        kilobytes: 412,
        hosts: 4,
        workspaces: 214 - days,
        notes: 31,
      }));
      break;
    case "decisions":
      seed(fake);
      decisions(fake);
      break;
    case "first":
      fake.hosts = [aHost({ id: "h1", label: "laptop", local: true, address: "this machine" })];
      fake.aliases = ALIASES;
      fake.places = ["src", "work", "dev"].map((name) => ({ path: `${HOME}/${name}`, display: `~/${name}` }));
      fake.found = { found: [], unreadable: [], lookedAt: 3 };
      fake.foundIn.set(`${HOME}/src`, {
        found: [
          { path: `${HOME}/src/atlas`, kind: "repository", listed: false },
          { path: `${HOME}/src/atlas-tiles`, kind: "worktree", listed: false },
          { path: `${HOME}/src/tide`, kind: "repository", listed: false },
          { path: `${HOME}/src/mirrors/tide.git`, kind: "bare", listed: false },
        ],
        unreadable: [`${HOME}/src/sealed`],
        lookedAt: 143,
      });
      fake.foundIn.set(`${HOME}/work`, {
        found: [{ path: `${HOME}/work/harbour`, kind: "repository", listed: false }],
        unreadable: [],
        lookedAt: 21,
      });
      break;
    default:
      seed(fake);
      fake.aliases = ALIASES.map((alias) => ({ ...alias, added: fake.hosts.some((host) => host.label === alias.alias) }));
  }
  const rows = Number(query.get("rows") ?? 0);
  for (let index = 0; index < rows; index += 1) {
    const id = `x${String(index).padStart(5, "0")}`;
    fake.rows.set(id, aRow({ id, host: "h1", root: index % 3 === 0 ? "r1" : "r2", name: `wt-${index}` }));
  }
  fake.onRegister = ((standard) => (host, path) =>
    path.includes("nowhere")
      ? apiErrorOf("path_not_found", `${path} does not exist on laptop.`, ["Check the spelling.", "Is the disk it lies on mounted?"])
      : standard(host, path))(fake.onRegister);
  Object.assign(window, { fake });
  return fake;
}
