import type { Client } from "@skein/api/client.ts";
import { createDrafts } from "@skein/api/drafts.ts";
import { getMessageHistory, updateMessage } from "@skein/api/edits.ts";
import { getMessages } from "@skein/api/fetch-messages.ts";
import { updateMessageFlags } from "@skein/api/flags.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { muteUser } from "@skein/api/muted-users.ts";
import { addReaction } from "@skein/api/reactions.ts";
import { getEvents } from "@skein/api/registration.ts";
import { addSubmessage } from "@skein/api/submessages.ts";
import { unsubscribe } from "@skein/api/subscriptions.ts";
import { getOwnUser, getUsers } from "@skein/api/users.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { channelOf, flagsFor, messageFor, sendDirect, sendToChannel } from "../../../../test/actions.ts";
import { Commands } from "../../../../test/commands.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { untilIndexed } from "../../../../test/until-indexed.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { sweepMerged } from "./jobs.ts";
import { mergeUsers } from "./merge.ts";

interface World {
  realm: TestRealm;
  /** The two accounts of one person. */
  from: TestUser;
  into: TestUser;
  peer: TestUser;
  merge: (db?: Db) => Promise<unknown>;
}

async function newWorld(): Promise<World> {
  const realm = await newRealm();
  const from = await realm.user("gertrud", { fullName: "Gertrud" });
  const into = await realm.user("gertrude", { fullName: "Gertrude" });
  const peer = await realm.user("claudius");
  const merge = async (db = realm.ctx.db) => mergeUsers(db, await rowOf(realm), from.id, into.id);
  return { realm, from, into, peer, merge };
}

const rowOf = ({ ctx, id }: TestRealm) =>
  ctx.db.selectFrom("realms").selectAll().where("id", "=", id).executeTakeFirstOrThrow();

const read = async (user: TestUser, ...messages: number[]) =>
  success(await user.call(updateMessageFlags, { op: "add", flag: "read", messages }));

/** Of these messages, those that are unread for the user, as narrow and flags agree. */
async function unreadOf(user: TestUser, ids: number[]): Promise<number[]> {
  const narrow = [{ operator: "is", operand: "unread" }];
  const page = { anchor: "newest", num_before: 1000, num_after: 0 } as const;
  const found = success(await user.call(getMessages, { narrow, ...page })).messages.map(({ id }) => id);
  const flagged: number[] = [];
  for (const id of ids) if (!(await flagsFor(user, id)).includes("read")) flagged.push(id);
  const listed = ids.filter((id) => found.includes(id));
  expect(listed).toEqual(flagged);
  return listed;
}

/** The ids of the user's direct messages with these people. */
async function directWith(user: TestUser, ...people: TestUser[]): Promise<number[]> {
  const narrow = [{ operator: "dm", operand: people.map(({ id }) => id) }];
  const page = { anchor: "newest", num_before: 1000, num_after: 0 } as const;
  return success(await user.call(getMessages, { narrow, ...page })).messages.map(({ id }) => id);
}

/** A database that is lost after so many transactions, as for a command that is killed. */
function lostAfter(db: Db, transactions: number): Db {
  let left = transactions;
  return new Proxy(db, {
    get(target, name) {
      if (name === "transaction" && left-- <= 0) throw new Error("killed");
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

test("messages, reactions and mentions become the other account's", async () => {
  const { realm, from, into, peer, merge } = await newWorld();
  const channel = await channelOf([peer, from, into], "court");
  const sent = await sendToChannel(from, channel);
  const content = `@**Gertrud** @_**Gertrud|${from.id}** \`@**Gertrud**\` @**Gertrude** @**claudius**`;
  const mention = await sendToChannel(peer, channel, { content });
  success(await peer.call(updateMessage, { message_id: sent, topic: "renamed" }));
  success(await from.call(updateMessage, { message_id: sent, content: "words, @**Gertrud**" }));
  success(await from.call(updateMessage, { message_id: sent, content: "fewer words" }));
  for (const user of [from, into]) success(await user.call(addReaction, { message_id: mention, emoji_name: "tada" }));
  success(await from.call(addReaction, { message_id: mention, emoji_name: "octopus" }));
  success(await from.call(updateMessageFlags, { op: "add", flag: "starred", messages: [mention] }));
  await untilIndexed(realm, mention);

  await merge();

  expect(await messageFor(peer, sent)).toMatchObject({ sender_id: into.id, sender_full_name: "Gertrude" });
  const rewritten = await messageFor(peer, mention);
  const name = (who: string) => `<span class="user-mention${who}" data-user-id="${into.id}">`;
  expect(rewritten.content).toContain(
    `${name("")}@Gertrude</span> ${name(" silent")}Gertrude</span> <code>@**Gertrud**</code> ${name("")}@Gertrude</span>`,
  );
  expect(rewritten.content).not.toContain(String(from.id));
  const raw = success(await peer.call(getMessages, { message_ids: [mention], apply_markdown: false })).messages[0];
  const byId = `Gertrude|${into.id}**`;
  expect(raw?.content).toBe(`@**${byId} @_**${byId} \`@**Gertrud**\` @**Gertrude** @**claudius**`);
  expect(rewritten.reactions.map((reaction) => `${reaction.emoji_name} ${reaction.user_id}`).toSorted()).toEqual([
    `octopus ${into.id}`,
    `tada ${into.id}`,
  ]);
  expect(await flagsFor(into, mention)).toEqual(expect.arrayContaining(["starred", "mentioned"]));
  const { message_history } = success(await peer.call(getMessageHistory, { message_id: sent }));
  expect(message_history.map(({ user_id }) => user_id)).toEqual([into.id, peer.id, into.id, into.id]);
  expect(message_history[2]?.content).toBe(`words, @**${byId}`);
  const search = [{ operator: "search", operand: "Gertrude" }];
  const page = { narrow: search, anchor: "newest", num_before: 10, num_after: 0 } as const;
  expect(success(await peer.call(getMessages, page)).messages.map(({ id }) => id)).toEqual([mention]);
});

test("the merged account is deactivated, and its sessions are over", async () => {
  const { from, into, peer, merge } = await newWorld();
  const queue = await from.register();

  await merge();

  for (const node of [0, 1]) {
    expect(await from.on(node).call(getOwnUser, {})).toMatchObject({ result: "error", code: "UNAUTHORIZED" });
    expect(await from.on(node).call(getEvents, { queue_id: queue.id, last_event_id: -1 })).toMatchObject({
      result: "error",
    });
  }
  const { members } = success(await peer.call(getUsers, {}));
  expect(members.find(({ user_id }) => user_id === from.id)).toMatchObject({ is_active: false });
  expect(members.find(({ user_id }) => user_id === into.id)).toMatchObject({ is_active: true });
  expect(await peer.call(sendMessage, { type: "direct", to: [from.id], content: "hello" })).toMatchObject({
    result: "error",
  });
});

test("a message is unread if it was for an account that received it; if both did, read if either read it", async () => {
  const { from, into, peer, merge } = await newWorld();
  const [both, onlyFrom] = [await channelOf([peer, from, into], "both"), await channelOf([peer, from], "only from")];
  const [onlyInto, left] = [await channelOf([peer, into], "only into"), await channelOf([peer, from, into], "left")];
  const ids: Record<string, number> = {};
  const send = async (name: string, channel: { id: number; name: string }) =>
    (ids[name] = await sendToChannel(peer, channel));
  // Alternating, so that a range that covers more than one channel's messages would be noticed.
  for (const name of ["neither", "by from", "by into"]) {
    await send(`both, ${name}`, both);
    await send(`from, ${name}`, onlyFrom);
    await send(`into, ${name}`, onlyInto);
  }
  // Leaving a channel marks its messages as read.
  await send("left by from", left);
  await read(from, ids["both, by from"] ?? 0, ids["from, by from"] ?? 0);
  await read(into, ids["both, by into"] ?? 0, ids["into, by into"] ?? 0);
  success(await from.call(unsubscribe, { subscriptions: ["left"] }));

  await merge();

  const unread = await unreadOf(into, Object.values(ids));
  const names = Object.keys(ids).filter((name) => unread.includes(ids[name] ?? 0));
  expect(names.toSorted()).toEqual([
    "both, neither",
    "from, by into",
    "from, neither",
    "into, by from",
    "into, neither",
  ]);
});

test("what an account received before it left a channel does not become unread", async () => {
  const { from, into, peer, merge } = await newWorld();
  const channel = await channelOf([peer, from], "court");
  const before = await sendToChannel(peer, channel);
  success(await from.call(unsubscribe, { subscriptions: ["court"] }));
  await channelOf([into], "court");
  const after = await sendToChannel(peer, channel);

  await merge();

  expect(await unreadOf(into, [before, after])).toEqual([after]);
});

test("direct conversations are united, and everybody's read state with them", async () => {
  const { realm, from, into, peer, merge } = await newWorld();
  const other = await realm.user("horatio");
  const first = [await sendDirect(peer, [from]), await sendDirect(peer, [into]), await sendDirect(from, [peer])];
  const second = [await sendDirect(into, [peer]), await sendDirect(peer, [from]), await sendDirect(peer, [into])];
  const groups = [await sendDirect(other, [from, peer]), await sendDirect(other, [from, into, peer])];
  const renamed = await sendDirect(other, [from]);
  const selves = [await sendDirect(from, [into]), await sendDirect(into, [into]), await sendDirect(from, [from])];
  await read(from, first[0] ?? 0);
  await read(into, second[2] ?? 0);
  await read(peer, first[2] ?? 0);

  await merge();

  expect(await directWith(peer, into)).toEqual([...first, ...second]);
  expect(await directWith(into, peer)).toEqual([...first, ...second]);
  expect(await directWith(into, peer, other)).toEqual(groups);
  expect(await directWith(other, into)).toEqual([renamed]);
  expect(await directWith(into, into)).toEqual(selves);
  const all = [...first, ...second];
  expect(await unreadOf(into, all)).toEqual(all.filter((id) => id !== first[0] && id !== second[2]));
  expect(await unreadOf(peer, all)).toEqual(all.filter((id) => id !== first[2]));
  // And they continue in the same conversation, from every node.
  const [reply, answer] = [await sendDirect(peer, [into]), await sendDirect(into, [peer])];
  expect(await directWith(peer, into)).toEqual([...first, ...second, reply, answer]);
});

test("mutes are united, and nobody's unread messages change", async () => {
  const { from, into, peer, merge } = await newWorld();
  const channel = await channelOf([peer, from, into], "court");
  const [byInto, byFrom, byPeer] = [
    await sendToChannel(into, channel),
    await sendToChannel(from, channel),
    await sendToChannel(peer, channel),
  ];
  success(await peer.call(muteUser, { muted_user_id: from.id }));
  expect(await unreadOf(peer, [byInto, byFrom])).toEqual([byInto]);

  await merge();

  expect(await unreadOf(peer, [byInto, byFrom])).toEqual([byInto]);
  const after = await sendToChannel(into, channel);
  expect(await unreadOf(peer, [after])).toEqual([]);
  const { state } = await peer.register(["muted_users"], ["muted_users"]);
  expect(state.muted_users?.map(({ id }) => id)).toEqual([into.id]);
  expect(await unreadOf(into, [byPeer])).toEqual([byPeer]);
});

test("options that both accounts added to a poll stay apart, with their votes", async () => {
  const { from, into, peer, merge } = await newWorld();
  const channel = await channelOf([peer, from, into], "court");
  const id = await sendToChannel(peer, channel, { content: "/poll Who?\nhe" });
  const add = async (user: TestUser, data: object) =>
    success(await user.call(addSubmessage, { message_id: id, msg_type: "widget", content: JSON.stringify(data) }));
  await add(into, { type: "new_option", idx: 1, option: "she" });
  await add(from, { type: "new_option", idx: 1, option: "they" });
  await add(peer, { type: "vote", key: `${from.id},1`, vote: 1 });

  await merge();

  const { submessages } = await messageFor(peer, id);
  expect(submessages.slice(1).map(({ sender_id, content }) => [sender_id, JSON.parse(content)])).toEqual([
    [into.id, { type: "new_option", idx: 1, option: "she" }],
    [into.id, { type: "new_option", idx: 3, option: "they" }],
    [peer.id, { type: "vote", key: `${into.id},3`, vote: 1 }],
  ]);
});

/** Reads on until the queue is over: a node first delivers what came before that in the log. */
async function refusalOf(client: Client, queue_id: string, from: number): Promise<unknown> {
  for (let last_event_id = from; ;) {
    const answer = await client.call(getEvents, { queue_id, last_event_id });
    if (answer.result !== "success") return answer;
    last_event_id = answer.events.at(-1)?.id ?? last_event_id;
  }
}

test("all clients of the organization register again, on both nodes, and no others", async () => {
  const { from, into, peer, merge } = await newWorld();
  const outside = await newRealm();
  const elsewhere = await outside.admin.register(["message"]);
  const channel = await channelOf([peer, from], "court");
  const queues = [await peer.register(), await into.register()];
  const waiting = [0, 1].map((node) =>
    peer.on(node).call(getEvents, { queue_id: queues[0]?.id ?? "", last_event_id: 2 ** 52 }),
  );

  await merge();

  // First, because another read of the same queue on a node that has not heard of the merge yet would take their place.
  expect(await waiting[0]).toMatchObject({ code: "BAD_EVENT_QUEUE_ID" });
  expect(await waiting[1]).toMatchObject({ code: "BAD_EVENT_QUEUE_ID" });
  for (const { user, id, lastEventId } of queues)
    for (const node of [0, 1])
      expect(await refusalOf(user.on(node), id, lastEventId)).toMatchObject({ code: "BAD_EVENT_QUEUE_ID" });
  await sendDirect(outside.admin, [outside.admin]);
  expect(await elsewhere.next()).toMatchObject({ type: "message" });
  // A client that follows events from its registration on arrives where another registration begins.
  const followed = await into.register(undefined, ["message", "subscription", "realm_user", "update_message_flags"]);
  const last = await sendToChannel(peer, channel);
  const state = await followed.followedState(last);
  const fresh = await into.register(undefined, ["message", "subscription", "realm_user", "update_message_flags"]);
  expect(state.unread_msgs).toEqual(fresh.state.unread_msgs);
  expect(state.subscriptions).toEqual(fresh.state.subscriptions);
  expect(state.realm_users).toEqual(fresh.state.realm_users);
});

test("a merge that is interrupted anywhere continues, and does nothing twice", async () => {
  const { realm, from, into, peer, merge } = await newWorld();
  const channel = await channelOf([peer, from], "court");
  for (let count = 0; count < 1100; count += 100)
    await sql`insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content)
      select realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content
      from messages, generate_series(1, 100) where id = ${await sendToChannel(from, channel)}`.execute(realm.ctx.db);
  const ids = [await sendDirect(peer, [from]), await sendDirect(peer, [into])];
  for (const first of ids.slice()) {
    const { rows } = await sql<{ id: number }>`
      insert into messages (realm_id, conversation_id, sender_id, client_id, content, rendered_content)
      select realm_id, conversation_id, sender_id, client_id, content, rendered_content
      from messages, generate_series(1, 600) where id = ${first} returning id`.execute(realm.ctx.db);
    ids.push(...rows.map(({ id }) => id));
  }
  const odd = ids.filter((id) => id % 2 === 1);
  for (const user of [from, into]) await read(user, ...odd);
  let attempts = 0;

  for (let isDone = false; !isDone; attempts++) {
    // One more transaction each time. A merge has many, so that it is interrupted between all of them.
    isDone = await merge(lostAfter(realm.ctx.db, attempts)).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ message: "killed" });
        return false;
      },
    );
  }

  expect(attempts).toBeGreaterThan(5);
  const { rows: direct } = await sql<{ id: number; is_read: boolean }>`
    select m.id, m.id <@ p.read as is_read from messages m
      join participations p on p.conversation_id = m.conversation_id and p.user_id = ${into.id}
    where m.id = any(${ids}::bigint[]) order by m.id`.execute(realm.ctx.db);
  expect(direct).toEqual(ids.toSorted((a, b) => a - b).map((id) => ({ id, is_read: id % 2 === 1 })));
  expect((await directWith(peer, into)).length).toBe(1000);
  const { rows } = await sql<{ sender_id: number; count: number }>`
    select sender_id, count(*) from messages where conversation_id = ${channel.id} group by 1`.execute(realm.ctx.db);
  expect(rows).toEqual([{ sender_id: into.id, count: 1111 }]);
  const { rows: records } = await sql<{ finished: boolean }>`
    select finished_at is not null as finished from user_merges where from_id = ${from.id}`.execute(realm.ctx.db);
  expect(records).toEqual([{ finished: true }]);
});

test("what others send to the account meanwhile is refused or arrives", async () => {
  const { realm, from, into, peer, merge } = await newWorld();
  const channel = await channelOf([peer, from, into], "court");
  await sendDirect(peer, [into]);
  const accepted: number[] = [];
  let isOver = false;
  const writers = [0, 1].flatMap((node) =>
    [peer, realm.admin].map(async (writer) => {
      while (!isOver) {
        const direct = { to: [from.id], content: "hello" };
        const answer = await writer.on(node).call(sendMessage, { type: "direct", ...direct });
        if (answer.result === "success") accepted.push(answer.id);
        const mention = { type: "channel", to: channel.id, topic: "talk", content: "@**Gertrud**" } as const;
        await peer.on(node).call(sendMessage, mention);
      }
    }),
  );
  // The account's own client, on another node.
  const own = (async () => {
    for (;;) {
      const content = { topic: "talk", content: "I" };
      const answer = await from.on(1).call(sendMessage, { type: "channel", to: channel.id, ...content });
      if (answer.result !== "success") return;
      await from.on(1).call(addReaction, { message_id: answer.id, emoji_name: "tada" });
    }
  })();
  while (accepted.length < 20) await new Promise((resume) => setImmediate(resume));

  const merging = merge().finally(() => (isOver = true));
  await merging;
  await Promise.all([...writers, own]);
  await sweepMerged.run(realm.ctx, { from: from.id, since: { message: 0, edit: 0 } }, { attempt: 1, maxAttempts: 1 });

  const found = [...(await directWith(peer, into)), ...(await directWith(realm.admin, into))];
  expect(accepted.filter((id) => !found.includes(id))).toEqual([]);
  expect(accepted.length).toBeGreaterThanOrEqual(20);
  const { rows } = await sql`select from messages where realm_id = ${realm.id}
    and (sender_id = ${from.id} or rendered_content like ${`%data-user-id="${from.id}"%`})`.execute(realm.ctx.db);
  expect(rows).toEqual([]);
  const { rows: orphans } = await sql`select from messages m where realm_id = ${realm.id}
    and not exists (select from conversations c where c.id = m.conversation_id)`.execute(realm.ctx.db);
  expect(orphans).toEqual([]);
});

test("of merges at once, the same one is done once, and the opposite one is refused", async () => {
  const { realm, from, into, peer, merge } = await newWorld();
  const channel = await channelOf([peer, from, into], "court");
  const ids = [await sendToChannel(from, channel), await sendToChannel(into, channel)];
  const row = await rowOf(realm);
  const results = await Promise.allSettled([merge(), merge(), mergeUsers(realm.ctx.db, row, into.id, from.id)]);

  const failed = results.flatMap((result) => (result.status === "rejected" ? [(result.reason as Error).message] : []));
  expect(failed.length).toBeLessThan(3);
  for (const message of failed) expect(message).toMatch(/is not finished|is deactivated/);
  const senders = await Promise.all(ids.map(async (id) => (await messageFor(realm.admin, id)).sender_id));
  const active = success(await realm.admin.call(getUsers, {})).members.filter(({ is_active }) => is_active);
  expect(active.map(({ user_id }) => user_id)).toEqual(expect.arrayContaining(senders));
  expect(new Set(senders).size).toBe(1);
});

test("what a request in flight wrote after the merge is moved by a job", async () => {
  const { realm, from, into, merge } = await newWorld();
  await merge();
  await sql`insert into drafts (realm_id, user_id, type, recipients, topic, content)
    values (${realm.id}, ${from.id}, '', '{}', '', 'late')`.execute(realm.ctx.db);
  const queue = await into.register();
  const sweep = () =>
    sweepMerged.run(realm.ctx, { from: from.id, since: { message: 0, edit: 0 } }, { attempt: 1, maxAttempts: 1 });

  await sweep();

  const { state } = await into.register(["drafts"], ["drafts"]);
  expect(state.drafts?.map(({ content }) => content)).toEqual(["late"]);
  const poll = { queue_id: queue.id, last_event_id: queue.lastEventId, dont_block: true };
  expect(await into.call(getEvents, poll)).toMatchObject({ code: "BAD_EVENT_QUEUE_ID" });
  const next = await into.register();
  await sweep();
  success(await into.call(getEvents, { queue_id: next.id, last_event_id: next.lastEventId, dont_block: true }));
});

test("the command asks for confirmation, counts with --dry-run, and refuses what makes no sense", async () => {
  const { realm, from, into, peer } = await newWorld();
  const skein = new Commands(realm.ctx);
  const here = ["--realm", realm.host.split(".")[0] ?? ""];
  const merge = (who: string, ...options: string[]) => skein.json("user", "merge", who, ...options, ...here);
  success(await from.call(createDrafts, { drafts: [{ type: "", to: [], topic: "", content: "to be" }] }));
  await sendDirect(from, [peer]);
  const bot = await realm.user("bot");
  await sql`update users set is_bot = true, bot_type = 1 where id = ${bot.id}`.execute(realm.ctx.db);
  const gone = await realm.user("gone");
  await sql`update users set is_active = false where id = ${gone.id}`.execute(realm.ctx.db);
  const outside = await newRealm();

  await expect(merge(from.email, "--into", into.email)).rejects.toThrow(`--confirm ${from.email}`);
  await expect(merge(from.email, "--into", from.email)).rejects.toThrow("cannot be merged into itself");
  await expect(merge(from.email, "--into", String(bot.id))).rejects.toThrow("bot is a bot");
  await expect(merge(String(bot.id), "--into", into.email)).rejects.toThrow("bot is a bot");
  await expect(merge(from.email, "--into", gone.email)).rejects.toThrow(`skein user reactivate ${gone.id}`);
  await expect(merge(realm.admin.email, "--into", into.email)).rejects.toThrow(`skein user role ${into.id} owner`);
  await expect(merge(from.email, "--into", outside.admin.email)).rejects.toThrow("No account in");
  await expect(merge("nobody@example.com", "--into", into.email)).rejects.toThrow("No account in");
  expect(await merge(from.email, "--into", into.email, "--dry-run")).toMatchObject({
    dry_run: true,
    messages: 1,
    conversations: 1,
  });
  success(await from.call(getOwnUser, {}));

  const merged = await merge(from.email, "--into", into.email, "--confirm", from.email.toUpperCase());

  expect(merged).toMatchObject({ from_id: from.id, into_id: into.id, messages: 1, conversations: 1 });
  expect((await directWith(peer, into)).length).toBe(1);
});

test("a merge of other accounts is refused until one that began is finished", async () => {
  const { realm, from, into, peer, merge } = await newWorld();
  await expect(merge(lostAfter(realm.ctx.db, 1))).rejects.toThrow("killed");
  const row = await rowOf(realm);

  for (const [one, other] of [
    [into, from],
    [into, peer],
    [peer, into],
    [peer, realm.admin],
  ] as const)
    await expect(mergeUsers(realm.ctx.db, row, one.id, other.id)).rejects.toThrow(
      `skein user merge ${from.id} --into ${into.id}`,
    );
  await transaction(realm.ctx.db, "reactivate", (tx) =>
    tx.updateTable("users").set({ is_active: true }).where("id", "=", from.id).execute(),
  );
  await merge();

  expect(await from.call(getOwnUser, {})).toMatchObject({ result: "error" });
  await mergeUsers(realm.ctx.db, row, into.id, peer.id);
});
