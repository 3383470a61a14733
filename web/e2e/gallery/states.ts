/** The gallery's states: the section, the steps to reach it, and the element that shows it; by default everything in view. */
import type { Locator, Page } from "playwright-core";

type Prepare = (page: Page) => Promise<Locator | undefined>;

const section =
  (id: string): Prepare =>
  async (page) =>
    page.locator(`#${id}`);

const composer = (page: Page, name: string): Locator => page.getByRole("textbox", { name });

const typed =
  (text: string): Prepare =>
  async (page) => {
    await composer(page, "Message #design › logo colours").click();
    await page.keyboard.type(text);
    await page.getByRole("listbox", { name: "Suggestions" }).waitFor();
    return undefined;
  };

const pressed =
  (button: string, role: "dialog" | "menu"): Prepare =>
  async (page) => {
    await page.getByRole("button", { name: button, exact: true }).first().click();
    await page.getByRole(role).waitFor();
    return undefined;
  };

interface State {
  section: string;
  prepare: Prepare;
}

const prepared: Record<string, Prepare> = {
  buttons: section("buttons"),
  fields: section("fields"),
  content: section("content"),
  composer: section("composer"),
  dialog: pressed("Open dialog", "dialog"),
  menu: pressed("Topic menu", "menu"),
  mention: typed("Hello @a"),
  channel: typed("See #des"),
  topic: typed("See #design>"),
  emojiTypeahead: typed("Nice :tad"),
  emoji: async (page) => {
    await page.getByRole("button", { name: "Emoji" }).first().click();
    await page.getByRole("grid").waitFor();
    return undefined;
  },
  files: async (page) => {
    await page
      .locator("input[type=file]")
      .first()
      .setInputFiles(
        ["diagram.png", "slow-report.pdf", "failing-notes.txt"].map((name) => ({
          name,
          mimeType: name.endsWith("png") ? "image/png" : "application/octet-stream",
          buffer: Buffer.from("x"),
        })),
      );
    await page.getByText("The connection was lost.", { exact: true }).waitFor();
    return page.locator("#composer");
  },
  preview: async (page) => {
    await page.getByRole("button", { name: "Preview" }).nth(1).click();
    await page.getByRole("region", { name: "Preview" }).getByText("designers").waitFor();
    return page.locator("#composer");
  },
  toast: async (page) => {
    await page.getByRole("button", { name: "Show a notice" }).click();
    await page.getByRole("button", { name: "Undo" }).waitFor();
    return undefined;
  },
  tooltip: async (page) => {
    await page.getByRole("button", { name: "Attach files" }).first().hover();
    await page.locator("[popover]:popover-open").waitFor();
    return undefined;
  },
  lightbox: async (page) => {
    await page.getByRole("link", { name: "Show logo.png" }).click();
    await page.getByRole("dialog").waitFor();
    return undefined;
  },
};

const sections: Record<string, string> = { dialog: "floating", menu: "buttons", toast: "buttons", lightbox: "content" };

export const states: Record<string, State> = Object.fromEntries(
  Object.entries(prepared).map(([name, prepare]) => [
    name,
    { section: sections[name] ?? (/^(?:buttons|fields|content)$/.test(name) ? name : "composer"), prepare },
  ]),
);
