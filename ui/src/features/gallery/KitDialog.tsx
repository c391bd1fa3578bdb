import { GitBranch, GitMerge, Lock, Pin, Search, Settings, StickyNote, Trash2 } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { HostRow, HostState, Kind, VerdictKind } from "../../backend/backend";
import { Age } from "../../kit/Age";
import { Badge } from "../../kit/Badge";
import { Button, IconButton } from "../../kit/Button";
import { Chips } from "../../kit/Chips";
import { COLOURS, ColourMark, colourShape, colourWord } from "../../kit/ColourMark";
import { CopyButton } from "../../kit/Copy";
import { cx } from "../../kit/cx";
import { Confirm, Dialog } from "../../kit/Dialog";
import { CheckField, SelectField, TextField } from "../../kit/Field";
import { HostIcon, HostMark, hostWord } from "../../kit/HostMark";
import { KIND_WORDS, KindIcon } from "../../kit/KindIcon";
import { KeyCaps } from "../../kit/KeyCaps";
import { Markdown } from "../../kit/Markdown";
import { ButtonMenu, IconMenu, MenuCheck, MenuChoice, MenuItem, MenuLine, MenuMore, MoreMenu } from "../../kit/Menu";
import { PlaceHeading, PlaceItem } from "../../kit/PlaceItem";
import { Sparkline } from "../../kit/Sparkline";
import { complain, say } from "../../kit/Toast";
import { Trouble } from "../../kit/Trouble";
import { Unknown } from "../../kit/Unknown";
import { VerdictBadge, VerdictIcon, VerdictItems, verdictWord } from "../../kit/Verdict";
import { Colours } from "./Colours";

const KINDS = Object.keys(KIND_WORDS) as Kind[];
const VERDICTS: readonly VerdictKind[] = ["safe", "loses", "blocked", "unknown"];

const SPACES = [
  ["w-1", "4"],
  ["w-1.5", "6"],
  ["w-2", "8"],
  ["w-3", "12"],
  ["w-3.5", "14"],
  ["w-5", "20"],
  ["w-8", "32"],
] as const;

const SIZES = [
  ["text-xl", "20 on 26", "Titles of a first screen"],
  ["text-lg", "15 on 20", "Titles of dialogs"],
  ["text-base", "13 on 18", "What is read and pressed"],
  ["text-sm", "12 on 16", "What stands beside it"],
  ["text-xs", "11 on 15", "Badges and ages"],
] as const;

const PATTERNS = [
  ["stripes", "text-accent"],
  ["crosses", "text-danger"],
  ["dots", "text-soft"],
] as const;

const SPARK = [2, 0, 1, 4, 3, 0, 0, 5, 2, 6, 3, 4];

/** A moment some time before this page was drawn. */
const before = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** A host that is not there, to show what its states look like. */
function madeUp(label: string, local: boolean, state: HostState, answeredAt: string | null): HostRow {
  return {
    id: label,
    label,
    local,
    address: label,
    state,
    answeredAt,
    system: null,
    gitVersion: null,
    unconfirmed: 0,
    pending: 0,
    machineOffered: null,
    ssh: null,
    every: null,
    forgotten: null,
    twins: [],
  };
}

function hosts(): readonly HostRow[] {
  const [then, reason] = [
    before(3),
    { code: "timed_out" as const, message: "It did not answer.", hints: [], key: null, openssh: false },
  ];
  return [
    madeUp("laptop", true, { is: "idle" }, then),
    madeUp("new-box", false, { is: "idle" }, null),
    madeUp("build-box", false, { is: "calling", since: then }, then),
    madeUp("far-away", false, { is: "waiting", since: then, until: then, reason }, then),
    madeUp("gpu-node", false, { is: "needsYou", since: then, reason }, then),
    madeUp("old-mini", false, { is: "suspended" }, then),
  ];
}

function Part({ title, children, className }: { title: string; children: ReactNode; className?: string }) {
  return (
    <section aria-label={title} className="break-inside-avoid">
      <h3 className="mb-1.5 font-semibold">{title}</h3>
      <div className={cx("rounded-lg border border-line bg-page p-3", className)}>{children}</div>
    </section>
  );
}

function Buttons() {
  const [pressed, setPressed] = useState(true);
  return (
    <Part title="Buttons" className="flex flex-col gap-2">
      {[false, true].map((small) => (
        <div key={String(small)} className="flex flex-wrap items-center gap-2">
          {(["primary", "plain", "quiet", "danger"] as const).map((look) => (
            <Button key={look} look={look} small={small}>
              {look.replace(/^./, (letter) => letter.toUpperCase())}
            </Button>
          ))}
          <Button small={small} disabled>
            Disabled
          </Button>
        </div>
      ))}
      <div className="flex flex-wrap items-center gap-1">
        <IconButton label="Search" keys="Ctrl+F">
          <Search size={15} aria-hidden />
        </IconButton>
        <IconButton label="Settings, pressed or not" aria-pressed={pressed} onClick={() => setPressed(!pressed)}>
          <Settings size={15} aria-hidden />
        </IconButton>
        <CopyButton text="Rollcall" label="Copy the name" />
      </div>
    </Part>
  );
}

function Fields() {
  const [tags, setTags] = useState(["maps", "review"]);
  const [choice, setChoice] = useState<"week" | "month">("week");
  const [ticked, setTicked] = useState(true);
  const [text, setText] = useState("");
  return (
    <Part title="Fields" className="flex flex-col gap-2.5">
      <TextField
        label="A line of text"
        placeholder="feature/wind"
        help="What it is for."
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <TextField label="A line that is wrong" aria-invalid value="a..b" readOnly />
      <SelectField
        label="One of few"
        value={choice}
        options={[
          ["week", "a week"],
          ["month", "a month"],
        ]}
        onChange={setChoice}
      />
      <CheckField checked={ticked} onChange={setTicked}>
        Something that is so or not
      </CheckField>
      <Chips label="Tags of nothing" tags={tags} suggestions={["blocked", "ideas"]} onChange={setTags} />
    </Part>
  );
}

function Menus({ onDialog }: { onDialog: (which: "dialog" | "confirm") => void }) {
  const items = (
    <>
      <MenuItem>Open</MenuItem>
      <MenuItem disabled>Not now</MenuItem>
      <MenuLine />
      <MenuItem danger>Delete…</MenuItem>
    </>
  );
  return (
    <Part title="Menus, dialogs and messages" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <ButtonMenu label="Menu" icon={<GitBranch size={14} aria-hidden />}>
          {items}
        </ButtonMenu>
        <MoreMenu label="More">{items}</MoreMenu>
        <Button onClick={() => onDialog("dialog")}>Dialog…</Button>
        <Button onClick={() => onDialog("confirm")}>Question…</Button>
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button small onClick={() => say("atlas is registered", { detail: "/home/ada/src/atlas" })}>
          Say something
        </Button>
        <Button small onClick={() => say("atlas is hidden", { action: { label: "Undo", run: () => say("atlas is back") } })}>
          With undo
        </Button>
        <Button
          small
          onClick={() =>
            complain({ code: "internal", message: "The disk is full.", hints: ["Free some space, then try again."], retry: true })
          }
        >
          Complain
        </Button>
      </div>
      <Trouble message="What went wrong stands beside the thing." hints={["What to try stands below it."]} />
    </Part>
  );
}

function Facts() {
  return (
    <Part title="Facts" className="flex flex-col gap-2.5">
      <div className="flex flex-wrap gap-1.5">
        <Badge icon={GitMerge} title="Part of the base branch" tone="bg-ok-soft text-ok">
          merged
        </Badge>
        <Badge icon={GitBranch} title="In the middle of something" tone="bg-only-soft text-only">
          rebase
        </Badge>
        {VERDICTS.map((verdict) => (
          <VerdictBadge key={verdict} verdict={verdict} />
        ))}
      </div>
      <ul className="flex flex-wrap gap-x-3 gap-y-1 text-sm">
        {VERDICTS.map((verdict) => (
          <li key={verdict} className="inline-flex items-center gap-1">
            <VerdictIcon verdict={verdict} />
            {verdictWord(verdict)}
          </li>
        ))}
      </ul>
      <VerdictItems
        items={[
          { kind: "loss", words: "2 stashes", names: [] },
          { kind: "block", words: "a process works inside", names: ["vim"] },
          { kind: "unknown", words: "ignored files", names: [] },
        ]}
      />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Age at={before(0)} />
        <Age at={before(42)} prefix="seen " />
        <Age at={before(60 * 24 * 9)} className="text-soft" />
        <Unknown />
        <Unknown>not measured</Unknown>
        <Sparkline values={SPARK} label="4 active in the last 7 days, 26 in the 11 weeks before" />
      </div>
    </Part>
  );
}

function Marks() {
  return (
    <Part title="Marks" className="flex flex-col gap-2.5">
      <ul aria-label="States of hosts" className="grid grid-cols-2 gap-x-3 gap-y-1">
        {hosts().map((host) => (
          <li key={host.id} className="inline-flex items-center gap-1.5">
            <HostMark host={host} />
            <HostIcon host={host} />
            {host.label}
            <span className="text-sm text-soft">{hostWord(host)}</span>
          </li>
        ))}
      </ul>
      <ul aria-label="Kinds of workspaces" className="grid grid-cols-2 gap-x-3 gap-y-1">
        {KINDS.map((kind) => (
          <li key={kind} className="inline-flex items-center gap-1.5">
            <span aria-hidden className="inline-flex">
              <KindIcon kind={kind} />
            </span>
            {KIND_WORDS[kind]}
          </li>
        ))}
      </ul>
      <ul aria-label="Colours of workspaces" className="grid grid-cols-2 gap-x-3 gap-y-1">
        {COLOURS.map((colour) => (
          <li key={colour} className="inline-flex items-center gap-1.5">
            <ColourMark colour={colour} silent />
            {colourWord(colour)}
            <span className="text-sm text-soft">{colourShape(colour)}</span>
          </li>
        ))}
      </ul>
      <ul aria-label="Marks of rows" className="grid grid-cols-2 gap-x-3 gap-y-1">
        {(
          [
            [Pin, "pinned", "text-accent"],
            [StickyNote, "has a note", "text-soft"],
            [Lock, "locked", "text-soft"],
            [Trash2, "deletion pending", "text-danger"],
          ] as const
        ).map(([Icon, word, tone]) => (
          <li key={word} className="inline-flex items-center gap-1.5">
            <Icon size={12} aria-hidden className={tone} />
            {word}
          </li>
        ))}
      </ul>
      <ul aria-label="Patterns" className="flex flex-wrap gap-3">
        {PATTERNS.map(([pattern, tone]) => (
          <li key={pattern} className="inline-flex items-center gap-1.5">
            <span aria-hidden className={cx("size-6 rounded border border-line-strong", pattern, tone)} />
            {pattern}
          </li>
        ))}
      </ul>
    </Part>
  );
}

const NOTE = "**Waits** for *Ines*:\n\n- [x] numbers\n- [ ] a `review`\n\n[where](https://example.org)";

function Places() {
  const [at, setAt] = useState("All");
  const [shown, setShown] = useState(true);
  const [grouping, setGrouping] = useState<"host" | "none">("host");
  return (
    <Part title="Places, choices, keys and notes" className="flex flex-col gap-2.5">
      <div className="w-52 rounded-md bg-side p-1.5">
        <PlaceHeading>Places</PlaceHeading>
        {["All", "Missing"].map((name) => (
          <PlaceItem
            key={name}
            id={`kit:${name}`}
            name={name}
            icon={name === "All" ? StickyNote : Lock}
            count={name.length}
            chosen={at === name}
            onClick={() => setAt(name)}
          />
        ))}
      </div>
      <div className="flex items-center gap-2">
        <IconMenu label="Choices" icon={<Settings size={14} aria-hidden />}>
          <MenuCheck checked={shown} onChange={setShown}>
            Shown
          </MenuCheck>
          <MenuLine />
          <MenuChoice
            name="Group by"
            value={grouping}
            options={[
              ["host", "Host"],
              ["none", "Nothing"],
            ]}
            onChange={setGrouping}
          />
          <MenuMore label="More">
            <MenuItem keys="P">Pin</MenuItem>
          </MenuMore>
        </IconMenu>
        <KeyCaps keys="Mod+Shift+Z" />
      </div>
      <Markdown text={NOTE} />
    </Part>
  );
}

/** Everything that the window is made of, on one page: for whoever builds it, and to see it in both palettes. */
export function KitDialog({ onClose }: { onClose: () => void }) {
  const [open, setOpen] = useState<"dialog" | "confirm" | null>(null);
  const close = () => setOpen(null);
  return (
    <Dialog
      title="Design system"
      description="What the window is made of. Nothing here is real, and nothing is changed."
      width="w-[960px]"
      reading
      onClose={onClose}
    >
      <div className="grid grid-cols-1 items-start gap-4 min-[760px]:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Part title="Type" className="flex flex-col gap-1.5">
            {SIZES.map(([size, pixels, use]) => (
              <p key={size} className={cx("flex items-baseline gap-3", size)}>
                <span className="min-w-0 flex-1 truncate">{use}</span>
                <span className="numeric text-sm text-soft">
                  {size.slice(5)}, {pixels}
                </span>
              </p>
            ))}
            <p className="font-mono text-sm">/home/ada/src/atlas-tiles, a path</p>
          </Part>
          <Part title="Spacing">
            <ul className="flex flex-wrap items-end gap-x-4 gap-y-1">
              {SPACES.map(([width, pixels]) => (
                <li key={width} className="flex flex-col items-start gap-1 text-sm text-soft">
                  <span aria-hidden className={cx("h-4 bg-accent", width)} />
                  {pixels} px
                </li>
              ))}
            </ul>
          </Part>
          <Buttons />
          <Fields />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <Menus onDialog={setOpen} />
          <Places />
          <Facts />
          <Marks />
        </div>
        <div className="min-[760px]:col-span-2">
          <Part title="Colours">
            <Colours />
          </Part>
        </div>
      </div>
      {open === "dialog" && (
        <Dialog title="A dialog" description="It says what it is about." onClose={close} footer={<Button onClick={close}>Done</Button>}>
          <p>It holds one thing that is asked or shown.</p>
        </Dialog>
      )}
      {open === "confirm" && (
        <Confirm title="Delete nothing for good?" action="Delete" onConfirm={close} onClose={close}>
          <p>What cannot be undone is asked about once.</p>
        </Confirm>
      )}
    </Dialog>
  );
}
