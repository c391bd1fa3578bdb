import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { apiErrorOf } from "../backend/fake";
import { openPiece } from "../test/piece";
import { aWorld, expectAccessible } from "../test/window";
import { Markdown } from "./Markdown";

async function shown(text: string) {
  const fake = aWorld();
  const opened = await openPiece(fake, <Markdown text={text} />);
  const [page] = opened.container.children;
  if (!(page instanceof HTMLElement)) throw new Error("nothing is shown");
  return { ...opened, fake, page };
}

describe("Markdown", () => {
  it("shows headings, lists, tasks, tables and code", async () => {
    const { page } = await shown(
      "# Tiles\n\nWait for **Ines**.\n\n- [x] measure\n- [ ] merge\n\n1. one\n2. two\n\n| a | b |\n| - | -: |\n| 1 | 2 |\n\n`git gc` and\n\n```\nlong\n```\n\n> said\n\n~~no~~",
    );
    expect(within(page).getByRole("heading", { name: "Tiles", level: 4 })).toBeInTheDocument();
    expect(within(page).getByText("Ines").tagName).toBe("STRONG");
    const items = within(page).getAllByRole("listitem");
    expect(items.map((item) => item.textContent.trim())).toEqual(["done: measure", "to do: merge", "one", "two"]);
    expect(within(page).getByRole("columnheader", { name: "a" })).toBeInTheDocument();
    expect(within(page).getByText("git gc").tagName).toBe("CODE");
    expect(within(page).queryByRole("checkbox")).toBeNull();
    await expectAccessible();
  });

  it("opens links of the web in the browser and goes nowhere itself", async () => {
    const { user, fake, page } = await shown("[the plan](https://example.org/plan?a=1) and www.example.net");
    const link = within(page).getByRole("link", { name: "the plan" });
    expect(link).toHaveAttribute("title", "https://example.org/plan?a=1");
    const event = new MouseEvent("click", { bubbles: true, cancelable: true });
    link.dispatchEvent(event);
    expect(event.defaultPrevented).toBe(true);
    const middle = new MouseEvent("auxclick", { bubbles: true, cancelable: true, button: 1 });
    link.dispatchEvent(middle);
    expect(middle.defaultPrevented).toBe(true);
    await user.click(within(page).getByRole("link", { name: "www.example.net" }));
    const opened = fake.calls.filter((call) => call.method === "openAddress").map((call) => call.args[0]);
    expect(opened).toEqual(["https://example.org/plan?a=1", "http://www.example.net/"]);
    fake.failNext("openAddress", apiErrorOf("unsupported", "No browser was found."));
    await user.click(link);
    expect(await screen.findAllByText("No browser was found.")).not.toHaveLength(0);
  });

  it.each([
    "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))",
    "[a](java\nscript:alert(1))",
    "[a](data:text/html,<script>alert(1)</script>)",
    "[a](vbscript:x)",
    "[a](file:///etc/passwd)",
    "[a](//example.org/x)",
    "[a](/etc/passwd)",
    "[a](#here)",
    "<javascript:alert(1)>",
    "[a](tauri://localhost)",
    "[a](https://)",
    "me@example.org",
  ])("makes no link of %j", async (text) => {
    const { page } = await shown(text);
    expect(page.querySelector("a")).toBeNull();
    expect(page.textContent).not.toBe("");
  });

  it("loads and runs nothing, and shows HTML as it was typed", async () => {
    const hostile = [
      "<script>document.title = 'owned'</script>",
      "<img src=x onerror=\"document.title='owned'\">",
      "<iframe src='https://evil.example'></iframe> and <svg onload=alert(1)>",
      "![a map](https://evil.example/pixel.png)",
      "![](data:image/svg+xml;base64,AAAA)",
      "[![badge](https://evil.example/b.svg)](https://example.org)",
      "<style>body { display: none }</style>",
      "<a href='https://evil.example' onclick='x()'>a</a>",
      "text[^1]\n\n[^1]: the footnote",
    ].join("\n\n");
    const { page } = await shown(hostile);
    expect(page.querySelectorAll("script, img, iframe, svg:not(.lucide), style, input, [onerror], [onclick], [id]")).toHaveLength(0);
    expect(document.title).not.toBe("owned");
    expect(page).toHaveTextContent("<script>document.title");
    expect(page).toHaveTextContent("a map");
    expect(page).toHaveTextContent("an image");
    expect(within(page).getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["https://example.org/"]);
    await expectAccessible();
  });

  it("shows lists a hundred deep, without moving them off the screen", async () => {
    const text = Array.from({ length: 100 }, (_, depth) => `${"  ".repeat(depth)}- level ${depth}`).join("\n");
    const { page } = await shown(text);
    expect(page.querySelectorAll("ul")).toHaveLength(100);
    expect(page.querySelectorAll("ul.pl-4")).toHaveLength(6);
    expect(page).toHaveTextContent("level 99");
  });

  it.each([
    ["quotes", `${"> ".repeat(9_000)}end`],
    ["quotes in one word", `${">".repeat(9_000)}end`],
    ["lists in one line", `${"- ".repeat(9_000)}end`],
    ["numbers", `${"1. ".repeat(6_000)}end`],
    ["blanks", `${" ".repeat(15_000)}- end`],
    ["emphasis", `${"*a **b ".repeat(1_500)}end${"** *".repeat(1_500)}`],
    ["brackets", `${"[".repeat(19_000)}end`],
    ["images", `${"![".repeat(9_000)}end${"](x)".repeat(400)}`],
    ["what is too long", `${"word ".repeat(12_000)}end`],
  ])("is not held up by %s", async (_, text) => {
    const complained = vi.spyOn(console, "error");
    const begun = performance.now();
    const { page } = await shown(text);
    expect(page).toHaveTextContent("end");
    expect(performance.now() - begun).toBeLessThan(4_000);
    expect(complained).not.toHaveBeenCalled();
  });

  it("breaks a word that is as long as a line", async () => {
    const { page } = await shown("x".repeat(10_000));
    expect(page).toHaveClass("wrap-anywhere");
    await waitFor(() => expect(page.textContent).toHaveLength(10_000));
  });
});
