import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { beforeAll, expect, test } from "vitest";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel } from "../../../../test/actions.ts";
import { WebServer } from "../../../../test/web-server.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { contentHash, previewLinks } from "./jobs.ts";
import { signedProxyUrl } from "./proxy-url.ts";

let web: WebServer;
beforeAll(async () => {
  web = await WebServer.start();
});

const html = (title: string) =>
  `<!doctype html><html><head><title>${title}</title>
   <meta property="og:description" content="What it &lt;is&gt; about">
   <meta property="og:image" content="/picture.png"><script>alert(1)</script></head><body></body></html>`;

async function realmWithPreviews(): Promise<TestRealm> {
  const realm = await newRealm();
  await realm.ctx.db.updateTable("realms").set({ inline_url_embed_preview: true }).where("id", "=", realm.id).execute();
  return realm;
}

const send = async (user: TestUser, content: string): Promise<number> =>
  success(await user.call(sendMessage, { type: "direct", to: [user.id], content })).id;

const contentOf = async (user: TestUser, message_id: number) =>
  success(await user.call(getMessage, { message_id })).message.content;

const run = (realm: TestRealm, messageId: number, content: string, url: string) =>
  previewLinks.run(
    realm.ctx,
    {
      realm_id: realm.id,
      message_id: messageId,
      content_hash: contentHash(content),
      urls: [url],
      origin: "http://x.example.com",
    },
    { attempt: 1, maxAttempts: 1 },
  );

// spec 4.1: content
test("a link preview appears shortly after the message was sent", async () => {
  const realm = await realmWithPreviews();
  const url = web.serve("/page", "text/html", html("A &amp; B"));
  const queue = await realm.admin.register(["message", "update_message"], [], { apply_markdown: true });

  const id = await send(realm.admin, url);

  const link = `<p><a href="${url}">${url}</a></p>`;
  expect(await queue.next()).toMatchObject({ type: "message", message: { content: link } });
  const image = signedProxyUrl(realm.ctx.config, `${web.url}/picture.png`);
  const rendered_content =
    `${link}\n<div class="message_embed">` +
    `<a class="message_embed_image" href="${url}" style="background-image: url(&quot;${image}&quot;)"></a>` +
    `<div class="data-container"><div class="message_embed_title"><a href="${url}" title="A &amp; B">A &amp; B</a></div>` +
    `<div class="message_embed_description">What it &lt;is&gt; about</div></div></div>`;
  expect(await queue.next()).toEqual({
    type: "update_message",
    user_id: null,
    rendering_only: true,
    message_id: id,
    message_ids: [id],
    flags: [],
    edit_timestamp: expect.any(Number),
    content: url,
    rendered_content,
  });
  const { message } = success(await realm.admin.call(getMessage, { message_id: id }));
  expect(message.content).toBe(rendered_content);
  expect(message).not.toHaveProperty("last_edit_timestamp");
});

test("readers of a channel receive the update, each with their own flags, and others do not", async () => {
  const realm = await realmWithPreviews();
  const [hamlet, other] = [await realm.user("hamlet", { fullName: "Hamlet" }), await realm.user("other")];
  const channel = await channelOf([realm.admin, hamlet], "links");
  const url = web.serve("/channel-page", "text/html", html("Page"));
  const reader = await hamlet.register(["update_message"]);
  const outsider = await other.register(["update_message", "message"]);

  await sendToChannel(realm.admin, channel, { content: `@**Hamlet** ${url}` });
  const event = await reader.next();
  await send(other, "over");

  expect(event).toMatchObject({ type: "update_message", stream_name: "links", flags: ["mentioned"] });
  expect(await outsider.next()).toMatchObject({ type: "message" });
});

test("a page is fetched once for all organizations", async () => {
  const [first, second] = [await realmWithPreviews(), await realmWithPreviews()];
  const url = web.serve("/shared-page", "text/html", html("Shared"));

  for (const realm of [first, second]) {
    const queue = await realm.admin.register(["update_message"]);
    await send(realm.admin, url);
    expect(await queue.next()).toMatchObject({ rendered_content: expect.stringContaining("Shared") });
  }

  expect(web.timesAsked("/shared-page")).toBe(1);
});

test("no pages are fetched for an organization without previews, or for a bot's message", async () => {
  const [plain, realm] = [await newRealm(), await realmWithPreviews()];
  const bot = await realm.user("bot");
  await realm.ctx.db
    .updateTable("users")
    .set({ is_bot: true, bot_type: 1, bot_owner_id: realm.admin.id })
    .where("id", "=", bot.id)
    .execute();
  const url = web.serve("/unwanted", "text/html", html("Unwanted"));
  const queue = await realm.admin.register(["update_message"]);

  await send(plain.admin, url);
  await send(bot, url);
  await send(realm.admin, web.serve("/wanted", "text/html", html("Wanted")));
  await queue.next();

  expect(web.timesAsked("/unwanted")).toBe(0);
});

test("a URL without metadata or without a page leaves the message as it is", async () => {
  const realm = await realmWithPreviews();
  const queue = await realm.admin.register(["update_message"]);
  const links = [
    web.serve("/empty", "text/html", "<p>nothing</p>"),
    web.serve("/data", "application/json", html("No page")),
    `${web.url}/missing`,
    "http://127.0.0.2:1/refused",
  ];
  const id = await send(realm.admin, links.join(" "));
  const before = await contentOf(realm.admin, id);

  for (const url of links) await run(realm, id, links.join(" "), url);
  await send(realm.admin, web.serve("/last", "text/html", html("Last")));

  expect(await queue.next()).toMatchObject({ rendered_content: expect.stringContaining("Last") });
  expect(await contentOf(realm.admin, id)).toBe(before);
});

test("running the job twice changes nothing and emits no second event", async () => {
  const realm = await realmWithPreviews();
  const url = web.serve("/twice", "text/html", html("Twice"));
  const queue = await realm.admin.register(["update_message", "message"]);
  const id = await send(realm.admin, url);
  await queue.nextOf("update_message");

  await Promise.all([run(realm, id, url, url), run(realm, id, url, url)]);
  await send(realm.admin, "over");

  expect(await queue.next()).toMatchObject({ type: "message" });
});

test("a message that was edited or deleted meanwhile is left alone", async () => {
  const realm = await realmWithPreviews();
  const url = web.serve("/late", "text/html", html("Late"));
  const [edited, deleted] = [await send(realm.admin, "old"), await send(realm.admin, "gone")];
  await transaction(realm.ctx.db, "edit and delete", async (tx) => {
    await tx.updateTable("messages").set({ content: "new" }).where("id", "=", edited).execute();
    await tx.deleteFrom("messages").where("id", "=", deleted).execute();
  });
  const queue = await realm.admin.register(["update_message", "message"]);

  await run(realm, edited, "old", url);
  await run(realm, deleted, "gone", url);
  await send(realm.admin, "over");

  expect(await queue.next()).toMatchObject({ type: "message" });
  expect(await contentOf(realm.admin, edited)).toBe("<p>old</p>");
});
