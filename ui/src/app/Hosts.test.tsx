import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { PromptRow, Reason } from "../backend/backend";
import { aHost } from "../backend/fake";
import { aWorld, expectAccessible, openDialogs, openWindow, settle } from "../test/window";

const T0 = new Date().toISOString();

function needs(part: Partial<Reason>) {
  const reason: Reason = {
    code: "sign_in_needed",
    message: "build-box needs you to sign in.",
    hints: ["Sign in when you want to."],
    key: null,
    openssh: false,
    ...part,
  };
  return aHost({ id: "h2", label: "build-box", state: { is: "needsYou", since: T0, reason } });
}

function prompt(part: Partial<PromptRow> & { id: string }): PromptRow {
  return {
    host: "h2",
    asker: "build-box",
    subject: { is: "password", user: "ada" },
    fields: [{ text: "Password", echo: false }],
    again: false,
    keepable: false,
    ...part,
  };
}

describe("signing in", () => {
  it("is offered where a host needs a person, and asks the application to try", async () => {
    const fake = aWorld();
    fake.hosts = [aHost({ id: "h1", label: "laptop", local: true }), needs({})];
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: /^build-box/ }));
    await user.click(screen.getByRole("button", { name: "Sign in…" }));
    expect(fake.calls.at(-1)).toEqual({ method: "syncNow", args: ["h2"] });
  });

  it("b7_puts_questions_one_at_a_time_in_the_words_of_whoever_asks", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    const code = prompt({
      id: "two",
      subject: { is: "challenge", instructions: "Second factor" },
      fields: [{ text: "One-time code:", echo: true }],
      again: true,
    });
    await settle(() => fake.ask([prompt({ id: "one", keepable: true }), code]));
    const first = await screen.findByRole("dialog", { name: "Password for ada on build-box" });
    expect(first).toHaveTextContent("1 more question waits.");
    const field = within(first).getByLabelText("Password");
    expect(field).toHaveAttribute("type", "password");
    expect(field).toHaveFocus();
    await expectAccessible();
    await user.type(field, "pass word");
    await user.click(within(first).getByRole("checkbox", { name: /keychain/ }));
    await user.keyboard("{Enter}");
    await user.click(within(first).getByRole("button", { name: "Sign in" }));
    expect(fake.calls.find((call) => call.method === "answerPrompt")?.args).toEqual(["one", ["pass word"], true]);

    const second = await screen.findByRole("dialog", { name: "build-box asks" });
    expect(second).toHaveTextContent("These are the words of build-box, not of Rollcall.");
    expect(second).toHaveTextContent("Second factor");
    expect(second).toHaveTextContent("That was not right.");
    expect(within(second).getByLabelText("One-time code:")).toHaveAttribute("type", "text");
    expect(within(second).queryByRole("checkbox")).toBeNull();
    await expectAccessible();
    await user.keyboard("{Escape}");
    expect(fake.calls.at(-1)).toEqual({ method: "cancelPrompt", args: ["two"] });
    await waitFor(() => expect(openDialogs()).toEqual([]));
  });

  it("names the key file that is locked, and the host on the way", async () => {
    const fake = aWorld();
    fake.waiting = [prompt({ id: "one", asker: "bastion", subject: { is: "passphrase", file: "~/.ssh/id_ed25519" } })];
    await openWindow(fake);
    // It waited before the window was there.
    const dialog = await screen.findByRole("dialog", { name: "Passphrase of a key file" });
    expect(dialog).toHaveTextContent("~/.ssh/id_ed25519 is locked");
    expect(dialog).toHaveTextContent("to sign in to bastion. It is on the way to build-box.");
  });

  it("a question that is given up goes away by itself", async () => {
    const fake = aWorld();
    await openWindow(fake);
    await settle(() => fake.ask([prompt({ id: "one", subject: { is: "openSsh", text: "Touch the key" }, fields: [] })]));
    const dialog = await screen.findByRole("dialog", { name: "ssh asks, for build-box" });
    expect(dialog).toHaveTextContent("Touch the key");
    await settle(() => fake.ask([]));
    await waitFor(() => expect(openDialogs()).toEqual([]));
  });

  it("a banner is offered as text", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await settle(() => fake.emit("notice", { is: "banner", about: { host: "h2", text: "Be good.\nAll is watched." } }));
    await user.click(await screen.findByRole("button", { name: "Read" }));
    const dialog = await screen.findByRole("dialog", { name: "build-box says" });
    expect(dialog).toHaveTextContent("Be good. All is watched.");
    expect(dialog).toHaveTextContent("not the words of Rollcall");
    await expectAccessible();
  });
});

describe("how a host is reached", () => {
  it("the system's ssh is offered where it may get further, and remembered", async () => {
    const fake = aWorld();
    fake.hosts = [
      aHost({ id: "h1", label: "laptop", local: true }),
      needs({ code: "not_authenticated", message: "build-box lets nobody in.", openssh: true }),
    ];
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: /^build-box/ }));
    await user.click(screen.getByRole("button", { name: "Use the system's ssh" }));
    expect(fake.calls.findLast((call) => call.method === "editHost")?.args).toEqual([
      "h2",
      {
        label: "build-box",
        destination: "h2",
        user: null,
        port: null,
        identityFile: null,
        transport: "openSsh",
        every: null,
      },
    ]);
  });

  it("its settings change with a test that says what was done", async () => {
    const fake = aWorld();
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "Actions for build-box" }));
    await user.click(await screen.findByRole("menuitem", { name: "Settings…" }));
    const dialog = await screen.findByRole("dialog", { name: "Settings of build-box" });
    fake.tested = {
      trace: [
        { step: "configuration", about: "build-box", words: "ada at 192.0.2.7:22", well: true },
        { step: "connection", about: "build-box", words: "does not take connections", well: false },
      ],
      reason: { code: "refused", message: "build-box does not take connections.", hints: ["Is it on?"], key: null, openssh: false },
    };
    await user.click(within(dialog).getByRole("button", { name: "Test the connection" }));
    const done = await within(dialog).findByRole("list", { name: "What was done" });
    expect(within(done).getAllByRole("listitem")).toHaveLength(2);
    expect(within(done).getByLabelText("Failed")).toBeTruthy();
    expect(dialog).toHaveTextContent("Is it on?");
    await expectAccessible();
    // What was tested is about other fields as soon as one changes.
    const port = within(dialog).getByRole("textbox", { name: "Port" });
    await user.type(port, "99999");
    expect(within(dialog).queryByRole("list", { name: "What was done" })).toBeNull();
    expect(within(dialog).getByRole("button", { name: "Save" })).toBeDisabled();
    await user.clear(port);
    await user.selectOptions(within(dialog).getByRole("combobox", { name: "Connection" }), "System OpenSSH");
    await user.selectOptions(within(dialog).getByRole("combobox", { name: "Call the roll" }), "Every 15 minutes");
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    const sent = fake.calls.findLast((call) => call.method === "editHost")?.args[1];
    expect(sent).toMatchObject({ transport: "openSsh", every: 900, port: null });
    await waitFor(() => expect(openDialogs()).toEqual([]));
  });

  it("this machine has a label and a cadence, and nothing to connect to", async () => {
    const { user } = await openWindow(aWorld());
    await user.click(screen.getByRole("button", { name: "Actions for laptop" }));
    await user.click(await screen.findByRole("menuitem", { name: "Settings…" }));
    const dialog = await screen.findByRole("dialog", { name: "Settings of laptop" });
    expect(within(dialog).queryByRole("textbox", { name: "Destination" })).toBeNull();
    expect(within(dialog).queryByRole("button", { name: "Test the connection" })).toBeNull();
    expect(within(dialog).getByRole("combobox", { name: "Call the roll" })).toBeTruthy();
  });

  it("can be read step by step afterwards", async () => {
    const fake = aWorld();
    fake.trace = [{ step: "signIn", about: "bastion", words: "signed in as ada with a password", well: true }];
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: "Actions for build-box" }));
    await user.click(await screen.findByRole("menuitem", { name: "How it was reached…" }));
    const dialog = await screen.findByRole("dialog", { name: "How build-box was reached" });
    await waitFor(() => expect(dialog).toHaveTextContent("bastion signed in as ada with a password"));
    await expectAccessible();
  });
});

describe("the same machine", () => {
  const forgotten = { id: "h9", label: "old-box", forgottenAt: T0, workspaces: 3, annotated: 1, pending: 2 };

  it("rd10_gets_back_what_a_forgotten_host_had_only_if_that_is_wanted", async () => {
    const fake = aWorld();
    fake.hosts = [aHost({ id: "h1", label: "laptop", local: true }), aHost({ id: "h2", label: "build-box", forgotten })];
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: /^build-box/ }));
    await user.click(screen.getByRole("button", { name: "Take back…" }));
    const dialog = await screen.findByRole("dialog", { name: "Take back what old-box had?" });
    expect(dialog).toHaveTextContent("3 workspaces, 1 of them with what you wrote, and 2 pending deletions");
    await expectAccessible();
    await user.click(within(dialog).getByRole("button", { name: "Not now" }));
    expect(fake.count("reclaimHost")).toBe(0);
    await user.click(screen.getByRole("button", { name: "Take back…" }));
    await user.click(await screen.findByRole("button", { name: "Take it back" }));
    expect(fake.calls.findLast((call) => call.method === "reclaimHost")?.args).toEqual(["h2", "h9"]);
    await waitFor(() => expect(screen.queryByRole("button", { name: "Take back…" })).toBeNull());
  });

  it("b16_two_labels_of_one_machine_are_pointed_out", async () => {
    const fake = aWorld();
    fake.hosts = [aHost({ id: "h1", label: "laptop", local: true }), aHost({ id: "h2", label: "build-box", twins: ["ci"] })];
    const { user } = await openWindow(fake);
    await user.click(screen.getByRole("button", { name: /^build-box/ }));
    expect(screen.getByRole("region", { name: "Machine of build-box" })).toHaveTextContent(
      "build-box is the same machine as ci.",
    );
  });
});
