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
import { mailTo } from "../../../test/mail.ts";
import { doJobs, startOwnServer, type OwnServer } from "../../../test/own-server.ts";
import { newRealm, success, type TestUser } from "../../../test/realm.ts";
import { channelOf, say, tell } from "../../../test/talk.ts";
import { followBatch } from "../notifications/follow.ts";
import { deliverMissedMessages } from "./deliver.ts";
import { handOverMail } from "./hand-over.ts";

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

/** Everything that was sent is looked at. */
async function follow(): Promise<void> {
  while (await followBatch(node.ctx, 0));
}

/** The time to gather is over for this person: what waits is mailed, and the number of mails is given back. */
async function mailDue({ id }: TestUser): Promise<number> {
  await follow();
  const { db } = node.ctx;
  const sent = async () => (await countMail()) ?? 0;
  const before = await sent();
  await db.updateTable("missed_message_batches").set({ due_at: new Date() }).where("user_id", "=", id).execute();
  while (await handOverMail(node.ctx));
  await doJobs(node, deliverMissedMessages);
  return (await sent()) - before;
}

async function countMail(): Promise<number | undefined> {
  const { values } = await node.ctx.metrics.notifications.get();
  return values.find(({ labels }) => labels["kind"] === "mail" && labels["outcome"] === "sent")?.value;
}

const settings = (user: TestUser, chosen: Parameters<typeof user.call<typeof updateSettings>>[1]) =>
  user.call(updateSettings, chosen).then(success);

test("a direct message that stays unread is mailed, with who and where, its text and ways to stop", async () => {
  const { realm, hamlet, ophelia } = await elsinore();
  const id = await tell(hamlet, [ophelia], { content: "To **be** or not to <be>" });

  expect(await mailDue(ophelia)).toBe(1);

  const mail = await mailTo(ophelia.email);
  expect(mail.subject).toBe("Hamlet to you");
  expect(mail.text).toContain("Hamlet, ");
  expect(mail.text).toContain("  To be or not to <be>");
  expect(mail.html).toContain("<p>To <strong>be</strong> or not to &lt;be&gt;</p>");
  expect(mail.html).not.toMatch(/<img|src=|<script|url\(/);
  const site = `http://${realm.host}:0`;
  expect(mail.text).toContain(`${site}/#narrow/dm/${hamlet.id}-Hamlet/near/${id}`);
  expect(mail.text).toContain("Answers to this mail are not read");
  expect(mail.headers.get("reply-to")).toBe("Answers are not read <noreply@localhost>");
  const link = /<(.+)>/.exec(mail.headers.get("list-unsubscribe") ?? "")?.[1] ?? "";
  expect(link).toMatch(`${site}/accounts/unsubscribe/missed_messages/${ophelia.id}-`);
  expect(mail.text).toContain(link);
  expect(mail.headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
});

test("messages are gathered, and each conversation is a mail of its own", async () => {
  const { hamlet, ophelia, channel } = await elsinore();
  const name = `@**${ophelia.fullName}**`;
  const first = await say(hamlet, channel, { topic: "a ghost", content: `${name} one` });
  await say(hamlet, channel, { topic: "a ghost", content: `${name} two` });
  await say(hamlet, channel, { topic: "other", content: `${name} three` });

  expect(await mailDue(ophelia)).toBe(2);

  const [ghost, other] = [await mailTo(ophelia.email), await mailTo(ophelia.email)];
  expect(ghost.subject).toBe("Hamlet in #castle > a ghost");
  expect(ghost.text).toMatch(/@Ophelia one[^]*@Ophelia two/);
  expect(ghost.text).toContain(`/#narrow/channel/${channel.id}-castle/topic/a.20ghost/with/${first}`);
  expect(other.subject).toBe("Hamlet in #castle > other");
  expect(await mailDue(ophelia)).toBe(0);
});

test("in a conversation of several the mail says who is in it", async () => {
  const { realm, hamlet, ophelia } = await elsinore();
  await tell(hamlet, [ophelia, realm.admin]);

  expect(await mailDue(ophelia)).toBe(1);

  expect((await mailTo(ophelia.email)).subject).toBe("Hamlet to you and owner");
});

test("mail waits as long as its reader wants to gather", async () => {
  const { hamlet, ophelia } = await elsinore();
  await settings(ophelia, { email_notifications_batching_period_seconds: 3600 });
  await tell(hamlet, [ophelia]);
  await follow();
  await tell(hamlet, [ophelia]);
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
    "is in a channel its reader left",
    ({ ophelia, channel }) => ophelia.call(unsubscribe, { subscriptions: [channel.name] }),
  ],
  ["is of somebody its reader muted", ({ ophelia, hamlet }) => ophelia.call(muteUser, { muted_user_id: hamlet.id })],
  [
    "is for somebody who was deactivated",
    ({ realm, ophelia }) => realm.admin.call(deactivateUser, { user_id: ophelia.id }),
  ],
  [
    "is for somebody who wants no mail by now",
    ({ ophelia }) =>
      settings(ophelia, {
        enable_offline_email_notifications: false,
        enable_followed_topic_email_notifications: false,
      }),
  ],
])("nothing is mailed of a message that %s meanwhile", async ([, happen]) => {
  const world = await elsinore();
  const { hamlet, ophelia, channel } = world;
  const id = await say(hamlet, channel, { content: `@**${ophelia.fullName}**, hello` });
  await follow();

  const answer = await happen(world, id);

  expect(answer).toMatchObject({ result: "success" });
  expect(await mailDue(ophelia)).toBe(0);
  const left = await node.ctx.db.selectFrom("missed_messages").selectAll().where("user_id", "=", ophelia.id).execute();
  expect(left).toEqual([]);
});

test("a message that was edited is mailed as it is when the mail goes out", async () => {
  const { hamlet, ophelia } = await elsinore();
  const id = await tell(hamlet, [ophelia], { content: "first thoughts" });
  await follow();
  success(await hamlet.call(updateMessage, { message_id: id, content: "second thoughts" }));

  expect(await mailDue(ophelia)).toBe(1);

  const { text } = await mailTo(ophelia.email);
  expect(text).toContain("second thoughts");
  expect(text).not.toContain("first thoughts");
});

test("who is there gets no mail, but does after leaving, for what is still unread", async () => {
  const { realm, hamlet, ophelia } = await elsinore();
  await sql`
    insert into presences (user_id, realm_id, last_active_at, last_connected_at, update_id)
    values (${ophelia.id}, ${realm.id}, now(), now(), 1)`.execute(node.ctx.db);
  await tell(hamlet, [ophelia]);

  expect(await mailDue(ophelia)).toBe(0);
  await sql`update presences set last_active_at = now() - interval '1 hour' where user_id = ${ophelia.id}`.execute(
    node.ctx.db,
  );
  expect(await mailDue(ophelia)).toBe(1);
});

test("where text is not for mail, neither it nor who wrote it or where is in the mail", async () => {
  const { realm, hamlet, ophelia, channel } = await elsinore();
  const content = `@**${ophelia.fullName}** the secret`;
  const hidden = async () => {
    await say(hamlet, channel, { topic: "murder", content });
    expect(await mailDue(ophelia)).toBe(1);
    const { subject, text, html } = await mailTo(ophelia.email);
    expect(subject).toBe("A new message");
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
    await tell(hamlet, [ophelia]);
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

test("channels and followed topics are mailed to who asks for them, and to nobody else", async () => {
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

  await say(hamlet, all);
  await say(hamlet, channel);

  await follow();
  const { rows } = await sql<{ user_id: number; count: number }>`
    select user_id, count(*)::integer from missed_messages where realm_id = ${realm.id} group by user_id order by user_id`.execute(
    node.ctx.db,
  );
  expect(rows).toEqual([ophelia, guildenstern, rosencrantz].map(({ id: user_id }) => ({ user_id, count: 1 })));
});

test("a worker that dies after sending leaves nothing that is mailed under another name", async () => {
  const { hamlet, ophelia, channel } = await elsinore();
  await tell(hamlet, [ophelia], { content: "first" });
  await say(hamlet, channel, { content: `@**${ophelia.fullName}** second` });
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

  // As it was before the worker got to note what it had done.
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
  await tell(hamlet, [ophelia], { content: "third" });
  await mailDue(ophelia);
  expect((await mailTo(ophelia.email)).text).toContain("third");
});

test("of several workers that hand over the same mail at once, one does", async () => {
  const { hamlet, ophelia } = await elsinore();
  await tell(hamlet, [ophelia]);
  await follow();
  const { db } = node.ctx;
  await db
    .updateTable("missed_message_batches")
    .set({ due_at: new Date() })
    .where("user_id", "=", ophelia.id)
    .execute();
  await Promise.all(Array.from({ length: 4 }, () => handOverMail(node.ctx)));
  await handOverMail(node.ctx);

  expect(await doJobs(node, deliverMissedMessages)).toBe(1);
});

test("what comes while a mail is sent is for the next", async () => {
  const { hamlet, ophelia } = await elsinore();
  await tell(hamlet, [ophelia], { content: "first" });
  await follow();
  const batch = await node.ctx.db
    .selectFrom("missed_message_batches")
    .select(["user_id", "id as batch_id"])
    .where("user_id", "=", ophelia.id)
    .executeTakeFirstOrThrow();
  const { mailer } = node.ctx;
  const busy = Object.assign(Object.create(mailer), {
    send: async (mail: Parameters<typeof mailer.send>[0]) => {
      await tell(hamlet, [ophelia], { content: "second" });
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
  await tell(hamlet, [ophelia]);
  await mailDue(ophelia);
  const { headers } = await mailTo(ophelia.email);
  return new URL(/<(.+)>/.exec(headers.get("list-unsubscribe") ?? "")?.[1] ?? "").pathname;
}

const open = (host: string, path: string, init: RequestInit = {}) =>
  fetch(node.url + path, { ...init, headers: { "x-forwarded-host": host } });

test("the link in a mail shows what it ends, and ends it when asked to; others' clients hear nothing", async () => {
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
  await tell(hamlet, [ophelia]);
  expect(await mailDue(ophelia)).toBe(0);
});

test("a link is good for its own person, kind and organization alone", async () => {
  const { realm, hamlet, ophelia } = await elsinore();
  const path = await unsubscribeLink(hamlet, ophelia);
  const elsewhere = await newRealm([node]);
  const post = async (host: string, where: string) => (await open(host, where, { method: "POST" })).status;

  expect(await post(realm.host, path.replace(`/${ophelia.id}-`, `/${hamlet.id}-`))).toBe(404);
  expect(await post(realm.host, path.replace("missed_messages", "login"))).toBe(404);
  expect(await post(realm.host, path.replace("missed_messages", "constructor"))).toBe(404);
  expect(await post(realm.host, path.slice(0, -1))).toBe(404);
  expect(await post(elsewhere.host, path)).toBe(404);
  await tell(hamlet, [ophelia]);
  expect(await mailDue(ophelia)).toBe(1);
});

test("who is mentioned by an edit is told of it, and who was mentioned already is not told again", async () => {
  const { realm, hamlet, ophelia } = await elsinore();
  const yorick = await realm.user("yorick");
  const grave = await channelOf([hamlet, ophelia, yorick], "grave");
  const id = await say(hamlet, grave, { content: `@**${ophelia.fullName}** alas` });
  expect(await mailDue(ophelia)).toBe(1);
  const content = `@**${ophelia.fullName}** @**${yorick.fullName}** alas`;
  success(await hamlet.call(updateMessage, { message_id: id, content }));

  expect([await mailDue(yorick), await mailDue(ophelia)]).toEqual([1, 0]);
  expect((await mailTo(yorick.email)).subject).toBe("Hamlet in #grave > talk");
});

test("workers do all of it by themselves", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet", { fullName: "Hamlet" });
  await settings(hamlet, { email_notifications_batching_period_seconds: 1 });
  await tell(realm.admin, [hamlet], { content: "by and by" });

  expect((await mailTo(hamlet.email)).text).toContain("by and by");
});
