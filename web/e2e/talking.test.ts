/** People who talk to each other through the client: what is sent is seen at once, and by the others. */
import { updateSettings } from "@skein/api/settings.ts";
import { expect, test } from "vitest";
import { success } from "../../server/test/realm.ts";
import { password } from "../../server/test/test-browser.ts";
import { channelOf, messageFor, say, tell } from "../../server/test/talk.ts";
import { composer, messages, newRealm, openClient, openWindow, siteOf, useClient, withPassword } from "./client.ts";

useClient();

test("whoever is not signed in is asked to, and comes to the Inbox then", async () => {
  const realm = await newRealm();
  const ada = await withPassword(realm, "ada");
  const page = await openWindow(realm);

  await page.goto(`${siteOf(realm)}/`);
  expect(new URL(page.url()).pathname).toBe("/login/");
  await page.getByLabel("E-mail").fill(ada.email);
  await page.locator("input[name=password]").fill(password);
  await page.keyboard.press("Enter");

  await page.getByRole("heading", { name: "Inbox", level: 1 }).waitFor();
});

test("a message is painted before the server has it, and is the same row when it comes back", async () => {
  const realm = await newRealm();
  const ada = await withPassword(realm, "ada");
  const channel = await channelOf([ada], "design");
  await say(ada, channel, { topic: "logo", content: "first", readBySender: true });
  const page = await openClient(ada, { at: `#narrow/channel/${channel.id}/topic/logo` });
  await messages(page).getByText("first").waitFor();
  const held = Promise.withResolvers<void>();
  await page.route("**/json/messages", async (route) => {
    if (route.request().method() === "POST") await held.promise;
    await route.continue();
  });

  await composer(page).fill("**bold** words");
  await page.keyboard.press("Control+Enter");
  const row = messages(page).filter({ hasText: "bold" });
  await row.waitFor();
  const took = await page.evaluate("performance.now()");
  expect(await row.innerText()).toContain("**bold** words");
  await row.evaluate((element) => element.setAttribute("data-mark", "same"));
  held.resolve();
  await row.locator("strong", { hasText: "bold" }).waitFor();

  expect(took).toBeTypeOf("number");
  expect(await row.getAttribute("data-mark")).toBe("same");
  expect(await messages(page).count()).toBe(2);
});

test("two people see what the other writes, and who is writing", async () => {
  const realm = await newRealm();
  const ada = await withPassword(realm, "ada");
  const bo = await withPassword(realm, "bo");
  const channel = await channelOf([ada, bo], "design");
  const at = `#narrow/channel/${channel.id}/topic/logo`;
  const [first, second] = await Promise.all([openClient(ada, { at }), openClient(bo, { at })]);
  await first.getByText("No messages here yet").waitFor();

  await composer(first).pressSequentially("Hello Bo");
  await second.getByText("ada is typing").waitFor();
  await first.keyboard.press("Control+Enter");
  await messages(second).getByText("Hello Bo").waitFor();
  await composer(second).fill("Hello Ada");
  await second.keyboard.press("Control+Enter");
  await messages(first).getByText("Hello Ada").waitFor();

  expect(await messages(first).count()).toBe(2);
  await second.getByText("ada is typing").waitFor({ state: "detached" });
});

test("a topic is started from its channel, named by its first words", async () => {
  const realm = await newRealm();
  const ada = await withPassword(realm, "ada");
  await channelOf([ada], "design");
  success(await ada.call(updateSettings, { enter_sends: true }));
  const page = await openClient(ada);

  await page.getByRole("link", { name: "design", exact: true }).click();
  await composer(page).fill("Which colours shall the logo have?");
  await page.getByPlaceholder("Which colours shall the logo").waitFor();
  await composer(page).press("Enter");

  await page.getByRole("heading", { name: "Which colours shall the logo", level: 1 }).waitFor();
  await messages(page).getByText("Which colours shall the logo have?").waitFor();
  expect(await messages(page).count()).toBe(1);
});

test("a direct message goes to those who were chosen, and counts as loud", async () => {
  const realm = await newRealm();
  const ada = await withPassword(realm, "ada");
  const bo = await withPassword(realm, "bo");
  await tell(bo, [ada], { content: "Are you there?" });
  const page = await openClient(ada);

  await page.getByRole("heading", { name: "Direct messages" }).first().waitFor();
  await page.keyboard.press("x");
  await page.getByLabel("To", { exact: true }).fill("bo");
  await page.getByRole("option", { name: /bo/ }).first().click();
  await page.getByRole("button", { name: "Write" }).click();
  await messages(page).getByText("Are you there?").waitFor();
  await composer(page).fill("Yes");
  await page.keyboard.press("Control+Enter");

  await expect.poll(async () => (await page.title()).startsWith("(")).toBe(false);
  const row = messages(page).filter({ hasText: "Yes" });
  await row.waitFor();
});

test("a topic that is renamed while it is open stays open under its new name", async () => {
  const realm = await newRealm();
  const ada = await withPassword(realm, "ada");
  const channel = await channelOf([ada], "design");
  const id = await say(ada, channel, { topic: "lgoo", content: "typo" });
  const page = await openClient(ada, { at: `#narrow/channel/${channel.id}/topic/lgoo` });
  await messages(page).getByText("typo").waitFor();
  await composer(page).fill("begun");

  await ada.request("PATCH", `/messages/${id}`, { topic: "logo", propagate_mode: "change_all" });

  await page.getByRole("heading", { name: "logo", level: 1 }).waitFor();
  await messages(page).getByText("typo").waitFor();
  expect(page.url()).toContain("/topic/logo");
  expect((await messageFor(ada, id)).subject).toBe("logo");
});
