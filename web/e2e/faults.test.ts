/** Nothing is lost: no network, a refusal, a reload, a queue or a session that is gone, a node that dies. */
import { deleteQueue } from "@skein/api/registration.ts";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { newestMessages } from "./read-messages.ts";
import { success } from "../../server/test/realm.ts";
import { password } from "../../server/test/test-browser.ts";
import { channelOf, say } from "../../server/test/talk.ts";
import { composer, messages, newRealm, openClient, useClient, withPassword } from "./client.ts";

useClient();

async function talkOf(name: string) {
  const realm = await newRealm();
  const ada = await withPassword(realm, name);
  const bo = await withPassword(realm, "bo");
  const channel = await channelOf([ada, bo], "design");
  await say(bo, channel, { topic: "logo", content: "What do you think?" });
  const at = `#narrow/channel/${channel.id}/topic/logo`;
  return { realm, ada, bo, channel, at };
}

const send = async (page: Page, text: string): Promise<void> => {
  await composer(page).fill(text);
  await page.keyboard.press("Control+Enter");
};

test("what is sent without a network waits, goes out once, and in order", async () => {
  const { ada, channel, at } = await talkOf("ada");
  const page = await openClient(ada, { at });
  await messages(page).getByText("What do you think?").waitFor();

  await page.context().setOffline(true);
  await send(page, "one");
  await send(page, "two");
  await messages(page).getByText("two").waitFor();
  await page.context().setOffline(false);

  await expect
    .poll(() => newestMessages(ada, channel.id, "logo"), { timeout: 20_000 })
    .toEqual(["What do you think?", "one", "two"]);
  expect(await messages(page).allInnerTexts()).toHaveLength(3);
});

test("a message whose answer was lost is found, not sent again", async () => {
  const { ada, channel, at } = await talkOf("ada");
  const page = await openClient(ada, { at });
  await messages(page).getByText("What do you think?").waitFor();
  let posts = 0;
  await page.route("**/json/messages", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    posts++;
    await route.fetch();
    return route.abort("connectionreset");
  });

  await send(page, "only once");

  await expect.poll(() => newestMessages(ada, channel.id, "logo")).toEqual(["What do you think?", "only once"]);
  await messages(page).getByText("only once").waitFor();
  await expect.poll(() => page.getByText("Waiting for the server").count()).toBe(0);
  expect(posts).toBe(1);
});

test("text that was not sent survives a reload, and so does a message on its way", async () => {
  const { ada, channel, at } = await talkOf("ada");
  const page = await openClient(ada, { at });
  await messages(page).getByText("What do you think?").waitFor();
  await page.route("**/json/messages", (route) =>
    route.request().method() === "POST" ? route.abort("connectionrefused") : route.continue(),
  );

  await send(page, "on its way");
  await messages(page).getByText("on its way").waitFor();
  await composer(page).fill("half a thought");
  await page.reload();
  await expect.poll(() => composer(page).inputValue()).toBe("half a thought");
  await messages(page).getByText("on its way").waitFor();
  await page.unrouteAll();
  await page.reload();

  await expect
    .poll(() => newestMessages(ada, channel.id, "logo"), { timeout: 20_000 })
    .toEqual(["What do you think?", "on its way"]);
});

test("a refusal shows the server's words, and gives the text back to be edited", async () => {
  const { ada, at } = await talkOf("ada");
  const page = await openClient(ada, { at });
  await messages(page).getByText("What do you think?").waitFor();
  const refusal = { result: "error", msg: "Not today.", code: "BAD_REQUEST" };
  await page.route("**/json/messages", (route) =>
    route.request().method() === "POST" ? route.fulfill({ status: 400, json: refusal }) : route.continue(),
  );

  await send(page, "please");
  await page.getByText("Not today.", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Edit" }).click();

  expect(await composer(page).inputValue()).toBe("please");
  expect(await messages(page).count()).toBe(1);
});

test("a queue that is gone is replaced behind the page: what came meanwhile is shown, what was typed stays", async () => {
  const { ada, bo, channel, at } = await talkOf("ada");
  const queues: string[] = [];
  const page = await openClient(ada, { at });
  page.on("request", (request) => {
    const id = new URL(request.url()).searchParams.get("queue_id");
    if (id !== null) queues.push(id);
  });
  await messages(page).getByText("What do you think?").waitFor();
  await composer(page).fill("being typed");
  await say(bo, channel, { topic: "logo", content: "heard" });
  await messages(page).getByText("heard").waitFor();
  const queue_id = queues.at(-1) ?? "";

  await page.context().setOffline(true);
  success(await ada.call(deleteQueue, { queue_id }));
  await say(bo, channel, { topic: "logo", content: "missed" });
  await page.context().setOffline(false);

  await messages(page).getByText("missed").waitFor();
  expect(await composer(page).inputValue()).toBe("being typed");
  await say(bo, channel, { topic: "logo", content: "heard again" });
  await messages(page).getByText("heard again").waitFor();
  expect(await messages(page).count()).toBe(4);
});

test("a session that ended asks to log in over the page, and all goes on", async () => {
  const { realm, ada, channel, at } = await talkOf("ada");
  const page = await openClient(ada, { at });
  await messages(page).getByText("What do you think?").waitFor();
  await composer(page).fill("kept");

  await realm.ctx.db.deleteFrom("browser_sessions").where("user_id", "=", ada.id).execute();
  await page.keyboard.press("Control+Enter");
  const dialog = page.getByRole("dialog", { name: "Log in again" });
  await dialog.waitFor();
  await dialog.getByLabel("Password", { exact: true }).fill("wrong");
  await page.keyboard.press("Enter");
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Password", { exact: true }).fill(password);
  await page.keyboard.press("Enter");

  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => newestMessages(ada, channel.id, "logo")).toEqual(["What do you think?", "kept"]);
});
