/** The client in Firefox: signing in, messages with markup, sending, an event; an import, from its upload to its report. */
import { expect, test } from "vitest";
import { roles } from "@skein/api/users.ts";
import { newRealm, type TestRealm, type TestUser } from "../../server/test/realm.ts";
import { password, withPassword } from "../../server/test/test-browser.ts";
import { channelOf, sendToChannel } from "../../server/test/actions.ts";
import { slackExport } from "../../server/test/uploaded-imports.ts";
import { siteOf } from "./client.ts";
import { FirefoxPage, keyNames } from "./firefox.ts";
import { textsIn } from "./topic.ts";

async function signIn(realm: TestRealm, { email }: TestUser): Promise<FirefoxPage> {
  const page = await FirefoxPage.open();
  await page.setHeaders({ "x-forwarded-host": realm.host });
  await page.goTo(`${siteOf(realm)}/login/`);
  await page.focus("#username");
  await page.press(email);
  await page.focus("#password");
  await page.press(password + keyNames.enter);
  await page.until("document.querySelector('#main') !== null");
  return page;
}

test("in Firefox a user signs in, reads messages with markup, sends one, and receives others'", async () => {
  const realm = await newRealm();
  const ada = await withPassword(realm, "ada");
  const bo = await realm.user("bo");
  const channel = await channelOf([ada, bo], "design");
  const says = (content: string) => sendToChannel(bo, channel, { topic: "logo", content });
  await says("**bold** `code` $$x^2$$\n\n```python\nprint(1)\n```");

  const page = await signIn(realm, ada);
  await page.evaluate(`location.hash = "#narrow/channel/${channel.id}/topic/logo"`);
  await page.until("document.querySelector('[role=feed] article strong')?.textContent", "bold");
  expect(await page.evaluate("document.querySelector('[role=feed] math msup') !== null")).toBe(true);
  expect(await page.evaluate("document.querySelector('[role=feed] .codehilite pre')?.innerText.trim()")).toBe(
    "print(1)",
  );

  await page.focus("main form textarea");
  await page.press("*sent*");
  await page.pressWithControl(keyNames.enter);
  await page.until("[...document.querySelectorAll('[role=feed] em')].some((em) => em.textContent === 'sent')");
  await expect.poll(async () => (await textsIn(ada, channel.id)).at(-1)).toBe("*sent*");
  await says("~~heard~~");
  await page.until("document.querySelector('[role=feed] del')?.textContent", "heard");

  expect(page.faults).toEqual([]);
});

test("in Firefox an owner uploads an export, imports it, and reads the report", async () => {
  const realm = await newRealm();
  const owner = await withPassword(realm, "ada", { role: roles.owner });
  const page = await signIn(realm, owner);
  const isShown = (text: string) => page.until(`document.querySelector("#main").innerText.includes("${text}")`);
  const press = (button: string) =>
    page.evaluate(
      `[...document.querySelectorAll("button")].findLast((each) => each.innerText === "${button}").click()`,
    );

  await page.evaluate('location.hash = "#organization/imports"');
  await isShown("No imports yet.");
  await page.evaluate(`(() => {
    const bytes = Uint8Array.from(atob("${slackExport().toString("base64")}"), (each) => each.charCodeAt(0));
    const files = new DataTransfer();
    files.items.add(new File([bytes], "lighthouse.zip", { type: "application/zip" }));
    const input = document.querySelector("#main input[type=file]");
    input.files = files.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  })()`);
  await isShown("Ines Calder");
  await press("Run import…");
  await page.focus("dialog input");
  const title = String(await page.evaluate("document.querySelector('dialog[open] h2').innerText"));
  await page.press(title.replace(/^Import into |\?$/g, "") + keyNames.enter);
  await isShown("Finished");
  await isShown("Lines of the Notification Bot");

  expect(page.faults).toEqual([]);
});
