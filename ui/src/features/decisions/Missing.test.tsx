import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { aRow, apiErrorOf, type FakeBackend } from "../../backend/fake";
import { candidates } from "../../store/candidates";
import { openPiece } from "../../test/piece";
import { aWorld, expectAccessible, settle } from "../../test/window";
import { ForgetMissingDialog } from "./ForgetMissingDialog";
import { RelinkDialog } from "./RelinkDialog";

function missing(): FakeBackend {
  const fake = aWorld();
  const gone = aRow({
    id: "m",
    host: "h1",
    root: "r1",
    name: "atlas-wind",
    path: "/home/me/src/atlas-wind",
    branch: "feature/wind",
    presence: "missing",
    noted: true,
    pinned: true,
    tags: ["maps", "later"],
  });
  fake.rows.set("m", gone);
  fake.notes.set("m", "Waits for Ines.");
  fake.rows.set("n", aRow({ id: "n", host: "h2", root: "r2", name: "atlas-wind", path: "/srv/atlas-wind", branch: "feature/wind" }));
  fake.rows.set("o", aRow({ ...gone, id: "o", name: "atlas-gone", noted: false, pinned: false, tags: [] }));
  fake.rows.set("p", aRow({ id: "p", host: "h1", root: "r1", name: "atlas-wind", untracked: true }));
  fake.rows.set("q", aRow({ id: "q", host: "h1", root: "r1", name: "atlas-wind", deleting: true }));
  return fake;
}

describe("where a missing workspace went", () => {
  it("is asked with the likeliest first, and what is carried over is shown", async () => {
    const fake = missing();
    await openPiece(fake, <RelinkDialog id="m" onClose={() => {}} />);
    const dialog = await screen.findByRole("dialog", { name: "Where did atlas-wind go?" });
    const offered = within(dialog).getAllByRole("radio");
    // Not the hidden one, nor one that is missing itself or on its way out.
    expect(offered).toHaveLength(5);
    const [first] = offered;
    expect(first?.closest("label")).toHaveTextContent("build-box: /srv/atlas-windsame name, same branch");
    const carried = within(dialog).getByRole("region", { name: "What is carried over" });
    await waitFor(() => expect(carried).toHaveTextContent("Waits for Ines."));
    expect(carried).toHaveTextContent("maps, later");
    expect(carried).toHaveTextContent("It is pinned.");
    expect(within(dialog).getByRole("button", { name: "It went there" })).toBeDisabled();
    await expectAccessible();
  });

  it("is searched for, chosen, and shown once what was written is there", async () => {
    const fake = missing();
    let closed = 0;
    const { user, stores } = await openPiece(fake, <RelinkDialog id="m" onClose={() => (closed += 1)} />);
    const dialog = await screen.findByRole("dialog", { name: "Where did atlas-wind go?" });
    await user.type(within(dialog).getByLabelText("Search"), "build TIDE");
    const [only, ...others] = within(dialog).getAllByRole("radio");
    expect(others).toHaveLength(0);
    if (only !== undefined) await user.click(only);
    await user.click(within(dialog).getByRole("button", { name: "It is tide now" }));
    await waitFor(() => expect(closed).toBe(1));
    expect(fake.calls.findLast((call) => call.method === "relink")?.args).toEqual(["m", "d"]);
    expect(stores.view.get()).toMatchObject({ selected: "d", focus: "d", inspector: true });
    expect(fake.notes.get("d")).toBe("Waits for Ines.");
    expect(await screen.findByText("What you wrote about atlas-wind is with tide now")).toBeInTheDocument();
  });

  it("is not agreed to by a choice that is out of sight", async () => {
    const { user } = await openPiece(missing(), <RelinkDialog id="m" onClose={() => {}} />);
    const dialog = await screen.findByRole("dialog", { name: "Where did atlas-wind go?" });
    const [first] = within(dialog).getAllByRole("radio");
    if (first !== undefined) await user.click(first);
    expect(within(dialog).getByRole("button", { name: "It is atlas-wind now" })).toBeEnabled();
    await user.type(within(dialog).getByLabelText("Search"), "nothing like it");
    expect(within(dialog).getByRole("button", { name: "It went there" })).toBeDisabled();
    expect(dialog).toHaveTextContent("Nothing that is there matches.");
  });

  it("is said to be settled when it came back, and errors stand beside the choice", async () => {
    const fake = missing();
    const { user } = await openPiece(fake, <RelinkDialog id="m" onClose={() => {}} />);
    const dialog = await screen.findByRole("dialog", { name: "Where did atlas-wind go?" });
    const [first] = within(dialog).getAllByRole("radio");
    if (first !== undefined) await user.click(first);
    fake.failNext("relink", apiErrorOf("invalid_input", "The note of both is too long."));
    await user.click(within(dialog).getByRole("button", { name: "It is atlas-wind now" }));
    expect(await within(dialog).findByText("The note of both is too long.")).toBeInTheDocument();
    const row = fake.rows.get("m");
    await settle(() => row !== undefined && fake.change([{ ...row, presence: "present" }]));
    expect(await screen.findByRole("dialog", { name: "atlas-wind is not missing any more" })).toBeInTheDocument();
  });

  it("waits until what was typed last is saved", async () => {
    const fake = missing();
    const { user, stores } = await openPiece(fake, <RelinkDialog id="m" onClose={() => {}} />);
    const dialog = await screen.findByRole("dialog", { name: "Where did atlas-wind go?" });
    const [first] = within(dialog).getAllByRole("radio");
    if (first !== undefined) await user.click(first);
    fake.failNext("annotate", apiErrorOf("registry_unavailable", "The disk is full."));
    await settle(() => stores.annotations.write("m", { note: "new" }));
    expect(await within(dialog).findByText("The disk is full.")).toBeInTheDocument();
    expect(within(dialog).getByRole("button", { name: "It is atlas-wind now" })).toBeDisabled();
    await user.click(within(dialog).getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(within(dialog).getByRole("button", { name: "It is atlas-wind now" })).toBeEnabled());
  });

  it("weighs a name more than a branch, and a branch more than a root", () => {
    const gone = aRow({ id: "m", host: "h1", root: "r1", name: "a", path: "/x/a", branch: "b", presence: "missing" });
    const there = (id: string, part: object) =>
      aRow({ id, host: "h2", root: "r2", name: id, path: `/y/${id}`, branch: id, ...part });
    const rows = [there("root", { root: "r1" }), there("branch", { branch: "b" }), there("name", { path: "/y/a" }), gone];
    const found = candidates(gone, rows, Date.now());
    expect(found.map(({ row, reasons }) => [row.id, ...reasons])).toEqual([
      ["name", "same name"],
      ["branch", "same branch"],
      ["root", "same root"],
    ]);
  });
});

describe("forgetting what is missing", () => {
  it("says which carry a note, and takes them off the list", async () => {
    const fake = missing();
    const { user } = await openPiece(fake, <ForgetMissingDialog ids={["o", "m", "a"]} onClose={() => {}} />);
    const dialog = await screen.findByRole("alertdialog", { name: "Forget 2 missing workspaces?" });
    expect(dialog).toHaveTextContent("1 of them has a note, which is lost.");
    expect(dialog).toHaveTextContent("One other is left out");
    const [first] = within(dialog).getAllByRole("listitem");
    expect(first).toHaveTextContent("laptop: /home/me/src/atlas-winda note, 2 tags, pinned");
    await expectAccessible();
    await user.click(within(dialog).getByRole("button", { name: "Forget 2" }));
    await waitFor(() => expect(fake.calls.findLast((call) => call.method === "forgetMissing")?.args).toEqual([["m", "o"]]));
    expect(await screen.findByText("2 workspaces forgotten")).toBeInTheDocument();
  });

  it("says in the dialog why it did not work, and that nothing is missing any more", async () => {
    const fake = missing();
    const { user } = await openPiece(fake, <ForgetMissingDialog ids={["m"]} onClose={() => {}} />);
    const dialog = await screen.findByRole("alertdialog", { name: "Forget atlas-wind?" });
    expect(dialog).toHaveTextContent("It has a note, which is lost.");
    fake.failNext("forgetMissing", apiErrorOf("registry_unavailable", "The disk is full."));
    await user.click(within(dialog).getByRole("button", { name: "Forget it" }));
    expect(await within(dialog).findByText("The disk is full.")).toBeInTheDocument();
    await settle(() => fake.change([], ["m"]));
    expect(await screen.findByRole("dialog", { name: "Nothing of this is missing any more" })).toBeInTheDocument();
  });
});
