/** W2. Messages go where you look: the composer belongs to the conversation on screen, and no other place has one. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { password } from "../../server/test/test-browser.ts";
import { channelOf, messageFor, sendToChannel, sendDirect } from "../../server/test/actions.ts";
import { getMessages } from "@skein/api/fetch-messages.ts";
import { success, type TestUser } from "../../server/test/realm.ts";
import {
  composer,
  goTo,
  messages,
  newRealm,
  openClient,
  openWindow,
  send,
  siteOf,
  useClient,
  withPassword,
} from "./client.ts";
import { talk, textsIn } from "./topic.ts";

useClient();

/** Where the message with this text went, as the page's headings name it. */
async function destinationOf(user: TestUser, text: string): Promise<string | undefined> {
  const { messages: found } = success(
    await user.call(getMessages, { anchor: "newest", num_before: 30, num_after: 0, apply_markdown: false }),
  );
  const message = found.find(({ content }) => content === text);
  if (!message) return undefined;
  if (typeof message.display_recipient === "string") return message.subject;
  const others = message.display_recipient.filter(({ id }) => id !== user.id).map(({ full_name }) => full_name);
  return others.toSorted().join(", ") || "notes";
}

const heading = (page: Page) => page.locator("#main h1");

test("W2: no address has a composer that writes elsewhere, and mixed lists have none", async () => {
  const realm = await newRealm();
  const [ada, bo, cy] = await Promise.all([realm.user("ada"), realm.user("bo"), realm.user("cy")]);
  const channel = await channelOf([ada, bo], "design");
  const id = await sendToChannel(bo, channel, { topic: "logo", content: "in logo" });
  await sendToChannel(bo, channel, { topic: "paint", content: "in paint @**ada**" });
  await sendDirect(bo, [ada], { content: "to you" });
  const page = await openClient(ada);

  const conversations = [
    [`#narrow/channel/${channel.id}/topic/logo`, /^logo$/, "logo"],
    [`#narrow/channel/${channel.id}-design/topic/paint`, /^paint$/, "paint"],
    [`#narrow/stream/${channel.id}-design/subject/logo/near/${id}`, /^logo$/, "logo"],
    [`#narrow/dm/${bo.id}-bo`, /^bo$/, "bo"],
    [`#narrow/channel/${channel.id}/topic/logo/with/${id}`, /^logo$/, "logo"],
    [`#narrow/pm-with/${bo.id},${cy.id}-group`, /bo.*cy|cy.*bo/, "bo, cy"],
    [`#narrow/dm/${ada.id}`, /^ada/, "notes"],
  ] as const;
  for (const [index, [address, title, destination]] of conversations.entries()) {
    await goTo(page, address);
    await heading(page).filter({ hasText: title }).waitFor();
    await send(page, `text ${index}`);
    await expect.poll(() => destinationOf(ada, `text ${index}`)).toBe(destination);
  }

  const places = {
    "#inbox": "Inbox",
    "#inbox/followed": "Inbox",
    "#recent": "Inbox",
    "#feed": "All messages",
    "#drafts": "Drafts",
    "#scheduled": "Drafts",
    "#channels": "Channels",
    "#direct-messages": "Direct messages",
    [`#user/${bo.id}`]: "bo",
    [`#narrow/channel/${channel.id}`]: "design",
    [`#narrow/channel/${channel.id}/near/${id}`]: "design",
    "#narrow/is/starred": "Starred",
    "#narrow/is/mentioned": "Mentions",
    "#narrow/is/dm": "Search",
    "#narrow/search/logo": "Search",
    [`#narrow/sender/${bo.id}`]: "Search",
    [`#narrow/channel/${channel.id}/topic/logo/search/in`]: "Search",
    [`#narrow/channel/${channel.id}/topic/logo/sender/${bo.id}`]: "Search",
    [`#narrow/dm-including/${bo.id}`]: "Search",
    [`#narrow/dm/${bo.id}/search/you`]: "Search",
    [`#narrow/-channel/${channel.id}`]: "Search",
    "#narrow/channel/987654321/topic/none": "Nothing here",
    "#nonsense": "Nothing here",
  };
  for (const [address, title] of Object.entries(places)) {
    await goTo(page, address);
    await heading(page).getByText(title).first().waitFor();
    expect([address, await page.locator("#main textarea").count()]).toEqual([address, 0]);
  }

  await goTo(page, `#topics/channel/${channel.id}`);
  await page.getByPlaceholder("Start a topic in #design").fill("Which paper for the flyer?");
  await page.keyboard.press("Control+Enter");
  await heading(page).getByText("Which paper for the flyer").waitFor();
  await expect.poll(() => destinationOf(ada, "Which paper for the flyer?")).toBe("Which paper for the flyer");
});

test("W2: text stays with the conversation it was started in, and so does a late upload", async () => {
  const { ada, bo, channel, at } = await talk(["in logo"]);
  await sendToChannel(bo, channel, { topic: "paint", content: "in paint" });
  const page = await openClient(ada, { at });
  await messages(page).getByText("in logo").waitFor();
  const held = Promise.withResolvers<void>();
  await page.route("**/json/user_uploads", (route) => held.promise.then(() => route.continue()));
  await composer(page).fill("for logo\n");
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Attach files" }).click();
  await (await chooser).setFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("teal") });

  await goTo(page, at.replace("logo", "paint"));
  await messages(page).getByText("in paint").waitFor();
  expect(await composer(page).inputValue()).toBe("");
  await send(page, "for paint");
  await expect.poll(() => textsIn(ada, channel.id, "paint")).toEqual(["in paint", "for paint"]);
  const uploaded = page.waitForResponse("**/json/user_uploads");
  held.resolve();
  await uploaded;
  expect(await composer(page).inputValue()).toBe("");
  await goTo(page, at);

  await expect.poll(() => composer(page).inputValue()).toMatch(/^for logo\n+\[notes\.txt\]\(\/user_uploads\//);
  expect(await textsIn(ada, channel.id)).toEqual(["in logo"]);
});

test("W2: a topic renamed while a user writes in it stays open, and gets the message", async () => {
  const { ada, bo, channel, at, ids } = await talk(["typo"]);
  const page = await openClient(ada, { at });
  await messages(page).getByText("typo").waitFor();
  await composer(page).fill("begun");

  await bo.request("PATCH", `/messages/${ids[0]}`, { topic: "emblem", propagate_mode: "change_all" });
  await heading(page).getByText("emblem").waitFor();
  await messages(page).getByText("typo").waitFor();
  expect(page.url()).toContain("/topic/emblem");
  expect((await messageFor(ada, ids[0] ?? 0)).subject).toBe("emblem");
  await send(page, "to the emblem");

  await expect.poll(async () => (await textsIn(ada, channel.id, "emblem")).at(-1)).toBe("to the emblem");
  expect(await textsIn(ada, channel.id)).toEqual([]);
});

test("a requested address is reached after logging in, even after a wrong password", async () => {
  const realm = await newRealm();
  const ada = await withPassword(realm, "ada");
  const channel = await channelOf([ada], "design");
  await sendToChannel(ada, channel, { topic: "logo", content: "here it is" });
  const page = await openWindow(realm);

  await page.goto(`${siteOf(realm)}/#narrow/channel/${channel.id}/topic/logo`);
  expect(new URL(page.url()).pathname).toBe("/login/");
  await page.getByLabel("E-mail").fill(ada.email);
  await page.locator("input[name=password]").fill("a guess");
  await page.keyboard.press("Enter");
  await page.locator("input[aria-invalid=true]").waitFor();
  await page.locator("input[name=password]").fill(password);
  await page.keyboard.press("Enter");

  await messages(page).getByText("here it is").waitFor();
  expect(new URL(page.url()).hash).toBe(`#narrow/channel/${channel.id}/topic/logo`);
});
