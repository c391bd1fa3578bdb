import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Actor, HostRef, WorkspaceRef } from "../../backend/backend";
import { aRow, apiErrorOf, type FakeBackend } from "../../backend/fake";
import { HintProvider } from "../../kit/Hint";
import { makeStores, StoresProvider } from "../../store/context";
import { aWorld, expectAccessible, settle } from "../../test/window";
import { dateOf, dayOf, longDay } from "./days";
import { JournalLines } from "./JournalLines";
import { JournalPage } from "./JournalPage";

// One page is tested here, not the window around it.
vi.mock("../../app/App", () => ({ App: () => null }));

const DAY = 86_400_000;

let fake: FakeBackend;
let scrolled: string[];

/** Writes a line, the newest first as the journal is read, so many days ago. */
function line(number: number, days: number, part: { actor?: Actor; host?: HostRef; workspace?: WorkspaceRef; text?: string } = {}) {
  const { actor = "rollCall", host = "h1", workspace = null, text = `line ${number}` } = part;
  const at = new Date(dateOf(dayOf(Date.now())).getTime() - days * DAY).toISOString();
  fake.lines.push({ number, at, actor, host, workspace, text });
}

async function opened() {
  const stores = makeStores(fake);
  const user = userEvent.setup();
  await stores.registry.start();
  const view = render(
    <StoresProvider stores={stores}>
      <HintProvider>
        <JournalPage />
      </HintProvider>
    </StoresProvider>,
  );
  await screen.findByRole("main", { name: "Journal" });
  await waitFor(() => expect(screen.queryByText("Reading the journal…")).toBeNull());
  return { stores, user, ...view };
}

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));
const seenCalls = () => fake.calls.filter((call) => call.method === "journalSeen").map((call) => call.args[0]);
const texts = () =>
  screen
    .getAllByRole("listitem")
    .map((each) => each.textContent ?? "")
    .filter((each) => each.includes("line"))
    .map((each) => /line \d+/.exec(each)?.[0]);

beforeEach(() => {
  fake = aWorld();
  scrolled = [];
  vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(function scroll(this: Element) {
    scrolled.push(this.getAttribute("data-day") ?? "");
  });
});

describe("the journal's page", () => {
  it("groups lines by day and says where the person stopped looking", async () => {
    line(5, 0, { actor: "person" });
    line(4, 0);
    line(3, 1);
    line(2, 1);
    line(1, 30, { actor: "sweep" });
    fake.seen = 3;
    const { container } = await opened();
    expect(screen.getByRole("main")).toHaveTextContent("1 new since you last looked");
    const headings = screen.getAllByRole("heading", { level: 2 }).map((each) => each.textContent);
    expect(headings[0]).toMatch(/^Today/);
    expect(headings[1]).toMatch(/^Yesterday/);
    expect(headings).toHaveLength(3);
    const order = (container.textContent ?? "").match(/line \d|since you last looked ↑/g);
    expect(order).toEqual(["line 5", "line 4", "since you last looked ↑", "line 3", "line 2", "line 1"]);
    expect(screen.getByText("Nothing older is written.")).toBeInTheDocument();
    await expectAccessible();
  });

  it("draws no mark when nothing is new, or when nobody ever looked", async () => {
    line(2, 0);
    line(1, 1);
    fake.seen = 2;
    const { unmount } = await opened();
    expect(screen.queryByText("since you last looked ↑")).toBeNull();
    expect(screen.getByRole("main")).toHaveTextContent("Nothing new since you last looked");
    unmount();
    fake.seen = 0;
    await opened();
    expect(screen.queryByText("since you last looked ↑")).toBeNull();
  });

  it("counts the newest line as looked at once it was in sight for 2 s, and keeps the mark", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    try {
      line(9, 0);
      line(8, 1);
      fake.seen = 8;
      await opened();
      await pass(100);
      await pass(1_500);
      expect(seenCalls()).toEqual([]);
      await pass(1_000);
      expect(seenCalls()).toEqual([9]);
      expect(screen.getByText("since you last looked ↑")).toBeInTheDocument();
      expect(screen.getByRole("main")).toHaveTextContent("1 new since you last looked");
    } finally {
      vi.useRealTimers();
    }
  });

  it("does not count lines as looked at while the window is hidden or a filter leaves some out", async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const hidden = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
    try {
      line(9, 0);
      line(8, 0, { actor: "person" });
      await opened();
      await pass(100);
      await pass(3_000);
      expect(seenCalls()).toEqual([]);
      const user = userEvent.setup({ advanceTimers: (by) => vi.advanceTimersByTime(by) });
      await user.selectOptions(screen.getByLabelText("Who"), "people");
      await pass(100);
      hidden.mockReturnValue("visible");
      await settle(() => void document.dispatchEvent(new Event("visibilitychange")));
      await pass(3_000);
      expect(seenCalls()).toEqual([]);
      await user.selectOptions(screen.getByLabelText("Who"), "everybody");
      await pass(100);
      await pass(3_000);
      expect(seenCalls()).toEqual([9]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("shows what one host or one hand did", async () => {
    line(3, 0, { host: "h2" });
    line(2, 0, { actor: "person" });
    line(1, 0);
    const { user } = await opened();
    expect(texts()).toEqual(["line 3", "line 2", "line 1"]);
    await user.selectOptions(screen.getByLabelText("Host"), "build-box");
    await waitFor(() => expect(texts()).toEqual(["line 3"]));
    await waitFor(() => expect(fake.calls.filter((call) => call.method === "journalDays").at(-1)?.args).toEqual(["h2", 8]));
    await user.selectOptions(screen.getByLabelText("Who"), "people");
    expect(await screen.findByText("Nothing like that is written. Choose another host, or everybody.")).toBeInTheDocument();
    await user.selectOptions(screen.getByLabelText("Host"), "all hosts");
    await waitFor(() => expect(texts()).toEqual(["line 2"]));
  });

  it("shows the workspace of a line that is still listed, and only of such", async () => {
    line(3, 0, { workspace: "c", text: "line 3: atlas-zoom moved" });
    line(2, 0, { workspace: "gone" });
    const { stores, user } = await opened();
    await user.click(screen.getByRole("button", { name: "line 3: atlas-zoom moved" }));
    expect(stores.view.get().selected).toBe("c");
    expect(screen.queryByRole("button", { name: "line 2" })).toBeNull();
  });

  it("has a picture of the last weeks that is read and walked by keyboard", async () => {
    line(3, 0);
    line(2, 0, { actor: "person" });
    line(1, 1, { actor: "sweep" });
    const { user } = await opened();
    const days = await screen.findByRole("toolbar");
    const bars = within(days).getAllByRole("button");
    expect(bars).toHaveLength(56);
    const today = longDay(dayOf(Date.now()), dayOf(Date.now()));
    expect(bars.at(-1)).toHaveAccessibleName(`Today, ${today}: 1 by roll calls, 1 by people`);
    expect(bars.at(-2)).toHaveAccessibleName(/: 1 by Rollcall$/);
    expect(bars[0]).toHaveAccessibleName(/: nothing$/);
    expect(screen.getByRole("list", { name: "What the bars mean" })).toHaveTextContent("Roll callsPeopleRollcall");
    const today56 = bars.at(-1);
    await settle(() => today56?.focus());
    await user.keyboard("{ArrowLeft}");
    expect(bars.at(-2)).toHaveFocus();
    await user.keyboard("{ArrowUp}");
    expect(bars.at(-9)).toHaveFocus();
    await user.keyboard("{Home}{ArrowLeft}");
    expect(bars[0]).toHaveFocus();
    expect(bars.filter((each) => each.tabIndex === 0)).toEqual([bars[0]]);
    await user.keyboard("{End}");
    expect(bars.at(-1)).toHaveFocus();
  });

  it("scrolls to a day that is pressed, reading back as far as it takes, with an end", async () => {
    for (let number = 1_000; number > 500; number -= 1) line(number, 0);
    line(500, 10);
    line(499, 12);
    const { user } = await opened();
    const day = (back: number) => dayOf(dateOf(dayOf(Date.now())).getTime() - back * DAY);
    const bar = async (back: number) => {
      const found = (await screen.findByRole("toolbar")).querySelector(`[data-bar="${day(back)}"]`);
      if (found === null) throw new Error("no such day");
      return found;
    };
    expect(texts()).toHaveLength(200);
    await user.click(await bar(10));
    await waitFor(() => expect(scrolled.at(-1)).toBe(day(10)));
    expect(texts()).toHaveLength(502);
    expect(screen.getByText(`Showing ${longDay(day(10), day(0))}.`)).toBeInTheDocument();
    await user.click(await bar(11));
    expect(await screen.findByText(`Nothing is written on ${longDay(day(11), day(0))}.`)).toBeInTheDocument();
    expect(scrolled.at(-1)).toBe(day(12));
    await user.click(await bar(40));
    expect(await screen.findByText(`Nothing is written on ${longDay(day(40), day(0))}.`)).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Load more" })).toBeNull();
  });

  it("loads more, grows as things happen, and keeps what was read further back", async () => {
    for (let number = 205; number > 0; number -= 1) line(number, 0);
    const { user } = await opened();
    expect(texts()).toHaveLength(200);
    await user.click(screen.getByRole("button", { name: "Load more" }));
    await waitFor(() => expect(texts()).toHaveLength(205));
    fake.lines.unshift({ number: 206, at: new Date().toISOString(), actor: "rollCall", host: "h1", workspace: null, text: "line 206" });
    await settle(() => fake.change([aRow({ id: "z", host: "h1", root: "r1" })]));
    await waitFor(() => expect(texts()[0]).toBe("line 206"));
    expect(texts()).toHaveLength(206);
  });

  it("leaves no gap when more happened than fits into a page", async () => {
    for (let number = 3; number > 0; number -= 1) line(number, 1);
    await opened();
    expect(texts()).toHaveLength(3);
    const more = Array.from({ length: 300 }, (_, at) => 303 - at);
    fake.lines.unshift(
      ...more.map((number) => ({ number, at: new Date().toISOString(), actor: "rollCall" as const, host: "h1", workspace: null, text: `line ${number}` })),
    );
    await settle(() => fake.change([aRow({ id: "z", host: "h1", root: "r1" })]));
    await waitFor(() => expect(texts()).toHaveLength(200));
    expect(screen.getByRole("button", { name: "Load more" })).toBeInTheDocument();
  });

  it("says what to do when nothing is written, and why it could not be read", async () => {
    const { unmount } = await opened();
    expect(screen.getByText(/^Nothing has happened yet/)).toBeInTheDocument();
    await expectAccessible();
    unmount();
    fake.failNext("journal", apiErrorOf("registry_unavailable", "The disk is full.", ["Free some space."]));
    await opened();
    expect(await screen.findByRole("alert")).toHaveTextContent("The disk is full.Free some space.");
  });
});

describe("the journal of one workspace", () => {
  it("asks for its lines only, and loads more of them", async () => {
    for (let number = 201; number > 0; number -= 1) line(number, 0, { workspace: "c" });
    line(0, 0);
    const stores = makeStores(fake);
    await stores.registry.start();
    const user = userEvent.setup();
    render(
      <StoresProvider stores={stores}>
        <JournalLines workspace="c" compact />
      </StoresProvider>,
    );
    await waitFor(() => expect(screen.getAllByRole("listitem")).toHaveLength(200));
    await user.click(screen.getByRole("button", { name: "Load more" }));
    await waitFor(() => expect(screen.getAllByRole("listitem")).toHaveLength(201));
    expect(fake.calls.filter((call) => call.method === "journal")[0]?.args).toEqual([null, { workspace: "c", host: null, actor: null }]);
  });
});
