import { deleteMessage } from "@skein/api/deletion.ts";
import { updateMessage } from "@skein/api/edits.ts";
import { updateMessageFlags } from "@skein/api/flags.ts";
import { muteUser } from "@skein/api/muted-users.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { updateSettings } from "@skein/api/settings.ts";
import { unsubscribe, updateSubscriptionSettings } from "@skein/api/subscriptions.ts";
import { updateUserTopic } from "@skein/api/user-topics.ts";
import { deactivateUser } from "@skein/api/users.ts";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { mailTo } from "../../../../test/mail.ts";
import { doJobs, startOwnServer, type OwnServer } from "../../../../test/own-server.ts";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect } from "../../../../test/actions.ts";
import { followBatch } from "../follow.ts";
import { deliverMissedMessages } from "./deliver.ts";
import { enqueueDueMail } from "./enqueue-due.ts";

let node: OwnServer;
beforeAll(async () => {
  node = await startOwnServer();
});

async function elsinore() {
  const realm = await newRealm([node]);
  const hamlet = await realm.user("hamlet", { fullName: "Hamlet" });
  const ophelia = await realm.user("ophelia", { fullName: "Ophelia" });
  return { realm, hamlet, ophelia, channel: await channelOf([hamlet, ophelia], "castle") };
}

/** Processes all sent messages. */
async function follow(): Promise<void> {
  while (await followBatch(node.ctx, 0));
}

/** Ends the user's batching period: mails what is pending, and returns the number of mails. */
async function mailDue({ id }: TestUser): Promise<number> {
  await follow();
  const { db } = node.ctx;
  const sent = async () => (await countMail()) ?? 0;
  const before = await sent();
  await db.updateTable("missed_message_batches").set({ due_at: new Date() }).where("user_id", "=", id).execute();
  while (await enqueueDueMail(node.ctx));
  await doJobs(node, deliverMissedMessages);
  return (await sent()) - before;
}

async function countMail(): Promise<number | undefined> {
  const { values } = await node.ctx.metrics.notifications.get();
  return values.find(({ labels }) => labels["kind"] === "mail" && labels["outcome"] === "sent")?.value;
}

const settings = (user: TestUser, chosen: Parameters<typeof user.call<typeof updateSettings>>[1]) =>
  user.call(updateSettings, chosen).then(success);

test("an unread direct message is mailed with sender, conversation, text and unsubscribe links", async () => {
  const { realm, hamlet, ophelia } = await elsinore();
  const id = await sendDirect(hamlet, [ophelia], { content: "To **be** or not to <be>" });

  expect(await mailDue(ophelia)).toBe(1);

  const mail = await mailTo(ophelia.email);
  expect(mail.subject).toBe("Hamlet to you");
  expect(mail.text).toContain("Hamlet, ");
  expect(mail.text).toContain("  To be or not to <be>");
  expect(mail.html).toContain("<p>To <strong>be</strong> or not to &lt;be&gt;</p>");
  expect(mail.html).not.toMatch(/<img|src=|<script|url\(/);
  const site = `http://${realm.host}:0`;
  expect(mail.text).toContain(`${site}/#narrow/dm/${hamlet.id}-Hamlet/near/${id}`);
  expect(mail.text).toContain("nobody reads replies");
  expect(mail.headers.get("reply-to")).toBe("Do not reply <noreply@localhost>");
  const link = /<(.+)>/.exec(mail.headers.get("list-unsubscribe") ?? "")?.[1] ?? "";
  expect(link).toMatch(`${site}/accounts/unsubscribe/missed_messages/${ophelia.id}-`);
  expect(mail.text).toContain(link);
  expect(mail.headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
});

test("messages are batched, with one mail per conversation", async () => {
  const { hamlet, ophelia, channel } = await elsinore();
  const name = `@**${ophelia.fullName}**`;
  const first = await sendToChannel(hamlet, channel, { topic: "a ghost", content: `${name} one` });
  await sendToChannel(hamlet, channel, { topic: "a ghost", content: `${name} two` });
  await sendToChannel(hamlet, channel, { topic: "other", content: `${name} three` });

  expect(await mailDue(ophelia)).toBe(2);

  const [ghost, other] = [await mailTo(ophelia.email), await mailTo(ophelia.email)];
  expect(ghost.subject).toBe("Hamlet in #castle > a ghost");
  expect(ghost.text).toMatch(/@Ophelia one[^]*@Ophelia two/);
  expect(ghost.text).toContain(`/#narrow/channel/${channel.id}-castle/topic/a.20ghost/with/${first}`);
  expect(other.subject).toBe("Hamlet in #castle > other");
  expect(await mailDue(ophelia)).toBe(0);
});

test("the mail of a group conversation names its participants", async () => {
  const { realm, hamlet, ophelia } = await elsinore();
  await sendDirect(hamlet, [ophelia, realm.admin]);

  expect(await mailDue(ophelia)).toBe(1);

  expect((await mailTo(ophelia.email)).subject).toBe("Hamlet to you and owner");
});

test("mail waits for the reader's batching period", async () => {
  const { hamlet, ophelia } = await elsinore();
  await settings(ophelia, { email_notifications_batching_period_seconds: 3600 });
  await sendDirect(hamlet, [ophelia]);
  await follow();
  await sendDirect(hamlet, [ophelia]);
  await follow();

  const { rows } = await sql<{ minutes: number }>`
    select round(extract(epoch from due_at - now()) / 60)::integer as minutes from missed_message_batches
    where user_id = ${ophelia.id}`.execute(node.ctx.db);
  expect(rows).toEqual([{ minutes: 60 }]);
});

test.for<[string, (world: Awaited<ReturnType<typeof elsinore>>, id: number) => Promise<unknown>]>([
  ["was read", ({ ophelia }, id) => ophelia.call(updateMessageFlags, { messages: [id], op: "add", flag: "read" })],
  ["was deleted", ({ realm }, id) => realm.admin.call(deleteMessage, { message_id: id })],
  [
    "is in a channel that its reader left",
    ({ ophelia, channel }) => ophelia.call(unsubscribe, { subscriptions: [channel.name] }),
  ],
  [
    "is from a user whom its reader muted",
    ({ ophelia, hamlet }) => ophelia.call(muteUser, { muted_user_id: hamlet.id }),
  ],
  [
    "is for a user who was deactivated",
    ({ realm, ophelia }) => realm.admin.call(deactivateUser, { user_id: ophelia.id }),
  ],
  [
    "is for a user who turned off mail",
    ({ ophelia }) =>
      settings(ophelia, {
        enable_offline_email_notifications: false,
        enable_followed_topic_email_notifications: false,
      }),
  ],
])("a message that %s in the meantime is not mailed", async ([, happen]) => {
  const world = await elsinore();
  const { hamlet, ophelia, channel } = world;
  const id = await sendToChannel(hamlet, channel, { content: `@**${ophelia.fullName}**, hello` });
  await follow();

  const answer = await happen(world, id);

  expect(answer).toMatchObject({ result: "success" });
  expect(await mailDue(ophelia)).toBe(0);
  const left = await node.ctx.db.selectFrom("missed_messages").selectAll().where("user_id", "=", ophelia.id).execute();
  expect(left).toEqual([]);
});

test("an edited message is mailed with its current content", async () => {
  const { hamlet, ophelia } = await elsinore();
  const id = await sendDirect(hamlet, [ophelia], { content: "first thoughts" });
  await follow();
  success(await hamlet.call(updateMessage, { message_id: id, content: "second thoughts" }));

  expect(await mailDue(ophelia)).toBe(1);

  const { text } = await mailTo(ophelia.email);
  expect(text).toContain("second thoughts");
  expect(text).not.toContain("first thoughts");
});

test("a present reader gets no mail until they leave, and then only about unread messages", async () => {
  const { realm, hamlet, ophelia } = await elsinore();
  await sql`
    insert into presences (user_id, realm_id, last_active_at, last_connected_at, update_id)
    values (${ophelia.id}, ${realm.id}, now(), now(), 1)`.execute(node.ctx.db);
  await sendDirect(hamlet, [ophelia]);

  expect(await mailDue(ophelia)).toBe(0);
  await sql`update presences set last_active_at = now() - interval '1 hour' where user_id = ${ophelia.id}`.execute(
    node.ctx.db,
  );
  expect(await mailDue(ophelia)).toBe(1);
});

test("if content is not allowed in mail, it contains neither text nor sender nor conversation", async () => {
  const { realm, hamlet, ophelia, channel } = await elsinore();
  const content = `@**${ophelia.fullName}** the secret`;
  const hidden = async () => {
    await sendToChannel(hamlet, channel, { topic: "murder", content });
    expect(await mailDue(ophelia)).toBe(1);
    const { subject, text, html } = await mailTo(ophelia.email);
    expect(subject).toBe("New message");
    const words = text.replaceAll(/https?:\S+/g, "") + html.replaceAll(/https?:[^"<]+/g, "");
    expect(words).not.toMatch(/secret|Hamlet|castle|murder/);
  };
  success(await realm.admin.call(updateRealm, { message_content_allowed_in_email_notifications: false }));
  await hidden();
  success(await realm.admin.call(updateRealm, { message_content_allowed_in_email_notifications: true }));
  await settings(ophelia, { message_content_in_email_notifications: false });
  await hidden();
});

test("the organization's name is in the subject for members of several, or as they choose", async () => {
  const { realm, hamlet, ophelia } = await elsinore();
  const { name } = await node.ctx.db
    .selectFrom("realms")
    .select("name")
    .where("id", "=", realm.id)
    .executeTakeFirstOrThrow();
  const subject = async () => {
    await sendDirect(hamlet, [ophelia]);
    await mailDue(ophelia);
    return (await mailTo(ophelia.email)).subject;
  };
  await settings(ophelia, { realm_name_in_email_notifications_policy: 2 });
  expect(await subject()).toBe(`[${name}] Hamlet to you`);
  await settings(ophelia, { realm_name_in_email_notifications_policy: 1 });
  expect(await subject()).toBe("Hamlet to you");
  const elsewhere = await newRealm([node]);
  const twin = await elsewhere.user("ophelia");
  await node.ctx.db.updateTable("users").set({ delivery_email: ophelia.email }).where("id", "=", twin.id).execute();
  expect(await subject()).toBe(`[${name}] Hamlet to you`);
  await settings(ophelia, { realm_name_in_email_notifications_policy: 3 });
  expect(await subject()).toBe("Hamlet to you");
});

test("messages of channels and followed topics are mailed only to users who enabled it", async () => {
  const { realm, hamlet, ophelia, channel } = await elsinore();
  const [guildenstern, rosencrantz, yorick] = [
    await realm.user("guildenstern"),
    await realm.user("rosencrantz"),
    await realm.user("yorick"),
  ];
  const all = await channelOf([hamlet, ophelia, guildenstern, rosencrantz, yorick], "all");
  await settings(guildenstern, { enable_stream_email_notifications: true });
  const data = [{ stream_id: all.id, property: "email_notifications", value: true }] as const;
  success(await rosencrantz.call(updateSubscriptionSettings, { subscription_data: [...data] }));
  success(await ophelia.call(updateUserTopic, { stream_id: all.id, topic: "talk", visibility_policy: 3 }));

  await sendToChannel(hamlet, all);
  await sendToChannel(hamlet, channel);

  await follow();
  const { rows } = await sql<{ user_id: number; count: number }>`
    select user_id, count(*)::integer from missed_messages where realm_id = ${realm.id} group by user_id order by user_id`.execute(
    node.ctx.db,
  );
  expect(rows).toEqual([ophelia, guildenstern, rosencrantz].map(({ id: user_id }) => ({ user_id, count: 1 })));
});

test("if a worker crashes after sending, nothing is mailed again with another Message-ID", async () => {
  const { hamlet, ophelia, channel } = await elsinore();
  await sendDirect(hamlet, [ophelia], { content: "first" });
  await sendToChannel(hamlet, channel, { content: `@**${ophelia.fullName}** second` });
  await follow();
  const batch = await node.ctx.db
    .selectFrom("missed_message_batches")
    .select(["user_id", "id as batch_id"])
    .where("user_id", "=", ophelia.id)
    .executeTakeFirstOrThrow();
  const stored = await node.ctx.db
    .selectFrom("missed_messages")
    .selectAll()
    .where("user_id", "=", ophelia.id)
    .execute();
  await deliverMissedMessages.run(node.ctx, batch, { attempt: 1, maxAttempts: 3 });
  const before = [await mailTo(ophelia.email), await mailTo(ophelia.email)];

  // The state before the worker recorded what it had sent.
  await node.ctx.db
    .insertInto("missed_message_batches")
    .values({ user_id: ophelia.id, realm_id: ophelia.realm.id, id: batch.batch_id, due_at: new Date() })
    .execute();
  await node.ctx.db.insertInto("missed_messages").values(stored).execute();
  await deliverMissedMessages.run(node.ctx, batch, { attempt: 2, maxAttempts: 3 });

  const again = [await mailTo(ophelia.email), await mailTo(ophelia.email)];
  const names = (mails: typeof before) => mails.map(({ headers }) => headers.get("message-id") ?? "").toSorted();
  expect(names(again)).toEqual(names(before));
  expect(new Set(names(before)).size).toBe(2);
  await deliverMissedMessages.run(node.ctx, batch, { attempt: 3, maxAttempts: 3 });
  await sendDirect(hamlet, [ophelia], { content: "third" });
  await mailDue(ophelia);
  expect((await mailTo(ophelia.email)).text).toContain("third");
});

test("if several workers enqueue the same mail at once, one succeeds", async () => {
  const { hamlet, ophelia } = await elsinore();
  await sendDirect(hamlet, [ophelia]);
  await follow();
  const { db } = node.ctx;
  await db
    .updateTable("missed_message_batches")
    .set({ due_at: new Date() })
    .where("user_id", "=", ophelia.id)
    .execute();
  await Promise.all(Array.from({ length: 4 }, () => enqueueDueMail(node.ctx)));
  await enqueueDueMail(node.ctx);

  expect(await doJobs(node, deliverMissedMessages)).toBe(1);
});

test("messages that arrive while a mail is sent go into the next one", async () => {
  const { hamlet, ophelia } = await elsinore();
  await sendDirect(hamlet, [ophelia], { content: "first" });
  await follow();
  const batch = await node.ctx.db
    .selectFrom("missed_message_batches")
    .select(["user_id", "id as batch_id"])
    .where("user_id", "=", ophelia.id)
    .executeTakeFirstOrThrow();
  const { mailer } = node.ctx;
  const busy = Object.assign(Object.create(mailer), {
    send: async (mail: Parameters<typeof mailer.send>[0]) => {
      await sendDirect(hamlet, [ophelia], { content: "second" });
      await follow();
      return mailer.send(mail);
    },
  });
  await deliverMissedMessages.run({ ...node.ctx, mailer: busy }, batch, { attempt: 1, maxAttempts: 3 });
  expect((await mailTo(ophelia.email)).text).not.toContain("second");

  expect(await mailDue(ophelia)).toBe(1);

  const { text } = await mailTo(ophelia.email);
  expect(text).toContain("second");
  expect(text).not.toContain("first");
});

// ---- unsubscribing

async function unsubscribeLink(hamlet: TestUser, ophelia: TestUser): Promise<string> {
  await sendDirect(hamlet, [ophelia]);
  await mailDue(ophelia);
  const { headers } = await mailTo(ophelia.email);
  return new URL(/<(.+)>/.exec(headers.get("list-unsubscribe") ?? "")?.[1] ?? "").pathname;
}

const open = (host: string, path: string, init: RequestInit = {}) =>
  fetch(node.url + path, { ...init, headers: { "x-forwarded-host": host } });

test("the unsubscribe link asks for confirmation, then unsubscribes; only the user's clients receive it", async () => {
  const { realm, hamlet, ophelia } = await elsinore();
  const path = await unsubscribeLink(hamlet, ophelia);
  const queue = await ophelia.register(["user_settings"], ["user_settings"]);

  const page = await open(realm.host, path);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<form")]);
  expect(queue.state.user_settings).toMatchObject({ enable_offline_email_notifications: true });
  const form = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
  expect((await open(realm.host, path, { method: "POST", body: form })).status).toBe(200);

  const heard = [await queue.nextOf("user_settings"), await queue.nextOf("user_settings")];
  expect(heard.map(({ property, value }) => [property, value])).toEqual([
    ["enable_offline_email_notifications", false],
    ["enable_followed_topic_email_notifications", false],
  ]);
  await sendDirect(hamlet, [ophelia]);
  expect(await mailDue(ophelia)).toBe(0);
});

test("a link works only for its own user, kind of mail and organization", async () => {
  const { realm, hamlet, ophelia } = await elsinore();
  const path = await unsubscribeLink(hamlet, ophelia);
  const elsewhere = await newRealm([node]);
  const post = async (host: string, where: string) => (await open(host, where, { method: "POST" })).status;

  expect(await post(realm.host, path.replace(`/${ophelia.id}-`, `/${hamlet.id}-`))).toBe(404);
  expect(await post(realm.host, path.replace("missed_messages", "login"))).toBe(404);
  expect(await post(realm.host, path.replace("missed_messages", "constructor"))).toBe(404);
  expect(await post(realm.host, path.slice(0, -1))).toBe(404);
  expect(await post(elsewhere.host, path)).toBe(404);
  await sendDirect(hamlet, [ophelia]);
  expect(await mailDue(ophelia)).toBe(1);
});

test("a user mentioned by an edit is notified, and one who was already mentioned is not notified again", async () => {
  const { realm, hamlet, ophelia } = await elsinore();
  const yorick = await realm.user("yorick");
  const grave = await channelOf([hamlet, ophelia, yorick], "grave");
  const id = await sendToChannel(hamlet, grave, { content: `@**${ophelia.fullName}** alas` });
  expect(await mailDue(ophelia)).toBe(1);
  const content = `@**${ophelia.fullName}** @**${yorick.fullName}** alas`;
  success(await hamlet.call(updateMessage, { message_id: id, content }));

  expect([await mailDue(yorick), await mailDue(ophelia)]).toEqual([1, 0]);
  expect((await mailTo(yorick.email)).subject).toBe("Hamlet in #grave > talk");
});

test("workers do all of this on their own", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet", { fullName: "Hamlet" });
  await settings(hamlet, { email_notifications_batching_period_seconds: 1 });
  await sendDirect(realm.admin, [hamlet], { content: "by and by" });

  expect((await mailTo(hamlet.email)).text).toContain("by and by");
});
