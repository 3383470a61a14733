/** Files: chosen, pasted or dropped; progress, canceling and retrying; the image viewer. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { composer, messages, openClient, useClient } from "./client.ts";
import { picture } from "./files.ts";
import { talk, textsIn } from "./topic.ts";

useClient();

async function writing() {
  const { ada, bo, channel, at } = await talk(["colours"]);
  const page = await openClient(ada, { at });
  await messages(page).getByText("colours").waitFor();
  return { ada, bo, channel, at, page };
}

const text = (page: Page) => composer(page).inputValue();

/** What the system does when files are dropped on the composer or pasted into it. */
const give = (page: Page, how: "drop" | "paste", files: Record<string, string>): Promise<void> =>
  composer(page).evaluate(
    (field, [event, contents]) => {
      const dataTransfer = new DataTransfer();
      for (const [name, content] of Object.entries(contents))
        dataTransfer.items.add(new File([content], name, { type: "text/plain" }));
      const options = { bubbles: true, cancelable: true };
      if (event === "paste")
        field.dispatchEvent(new ClipboardEvent(event, { ...options, clipboardData: dataTransfer }));
      else
        for (const type of ["dragover", "drop"]) field.dispatchEvent(new DragEvent(type, { ...options, dataTransfer }));
    },
    [how, files] as const,
  );

test("a picture is attached, described and sent, and opens in the other person's viewer", async () => {
  const { bo, at, page } = await writing();
  const other = await openClient(bo, { at });
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Attach files" }).click();
  await (await chooser).setFiles({ name: "teal.png", mimeType: "image/png", buffer: await picture() });
  await page.getByPlaceholder("Describe this picture").waitFor();
  expect(await page.locator("form li img").evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(
    0,
  );
  await page.getByPlaceholder("Describe this picture").fill("A teal square");
  await page.getByPlaceholder("Describe this picture").blur();
  await composer(page).press("Control+Enter");

  const row = messages(other).filter({ hasText: "A teal square" });
  await row.waitFor();
  await other.locator(".message_inline_image a").first().click();
  await other.getByRole("dialog", { name: "Pictures" }).getByRole("button", { name: "Close" }).click();
  await row.focus();
  await other.keyboard.press("w");
  const details = other.getByRole("complementary", { name: "Details" });
  await details.getByRole("button", { name: "ada" }).waitFor();
  await details.getByRole("tab", { name: "Files" }).click();
  await details.getByText("A teal square").waitFor();
  expect(other.url()).toContain("?panel=details/files");
});

test("dropped or pasted files become links in the text and are sent with the message", async () => {
  const { ada, channel, page } = await writing();
  await composer(page).fill("See:");

  await give(page, "drop", { "one.txt": "1", "two.txt": "2" });
  await expect
    .poll(() => text(page))
    .toMatch(/^See:\n\[one\.txt\]\(\/user_uploads\/\S+\)\n\[two\.txt\]\(\/user_uploads\/\S+\)\n*$/);
  await give(page, "paste", { "three.txt": "3" });
  await expect.poll(() => text(page)).toMatch(/\[three\.txt\]\(\/user_uploads\//);
  await composer(page).press("Control+Enter");

  await expect.poll(async () => (await textsIn(ada, channel.id)).at(-1)).toMatch(/one\.txt[^]*two\.txt[^]*three\.txt/);
  await messages(page).getByRole("link", { name: "three.txt" }).waitFor();
});

test("an upload shows its progress, blocks sending, and can be canceled", async () => {
  const { page } = await writing();
  const held = Promise.withResolvers<void>();
  await page.route("**/json/user_uploads", (route) => held.promise.then(() => route.continue().catch(() => undefined))); // it was canceled
  await composer(page).fill("See:");

  await give(page, "drop", { "slow.txt": "slow" });
  await page.getByRole("progressbar", { name: "Uploading slow.txt…" }).waitFor();
  expect(await text(page)).toContain("[Uploading slow.txt…]");
  await composer(page).press("Control+Enter");
  await page.getByText("Files are still uploading").waitFor();
  await page.getByRole("button", { name: "Cancel upload of slow.txt" }).click();

  await expect.poll(async () => (await text(page)).trim()).toBe("See:");
  expect(await messages(page).count()).toBe(1);
  held.resolve();
});

test("a failed upload shows why and can be retried; a refused one cannot", async () => {
  const { page } = await writing();
  const answers = [
    { status: 503, body: "" },
    { status: 400, json: { result: "error", msg: "No such files here.", code: "BAD_REQUEST" } },
  ];
  await page.route("**/json/user_uploads", (route) => {
    const failure = answers.shift();
    return failure ? route.fulfill(failure) : route.continue();
  });
  const again = page.getByRole("button", { name: "Retry upload of notes.txt" });

  await give(page, "drop", { "notes.txt": "teal" });
  await page.getByText("Upload failed.").first().waitFor();
  await again.click();
  await page.getByText("No such files here.").first().waitFor();
  expect(await again.count()).toBe(0);
  await page.getByRole("button", { name: "Remove notes.txt" }).click();
  await give(page, "drop", { "notes.txt": "teal" });

  await expect.poll(() => text(page)).toMatch(/^\s*\[notes\.txt\]\(\/user_uploads\/\S+\)\s*$/);
});
