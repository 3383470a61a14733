/** Imports that are repeated after people changed things, and that are interrupted, by chance. */
import { deleteMessage } from "@skein/api/deletion.ts";
import { updateMessage } from "@skein/api/edits.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { addReaction } from "@skein/api/reactions.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { importedIds, importInto, signIn } from "../../../../../test/imports.ts";
import { addMessage, Chance, randomExport, wordOf, type RandomExport } from "../../../../../test/random-export.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../../test/realm.ts";

interface Row {
  id: number;
  channel: string | null;
  topic: string | null;
  sender: string;
  content: string;
  more: string;
}

/** All messages, with everything that belongs to them. */
async function listMessages(realm: TestRealm): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select m.id, c.name as channel, t.name as topic, s.full_name as sender, m.content, concat_ws(' ', m.date_sent,
      (select string_agg(r.emoji_name || u.full_name, ',' order by u.full_name, r.emoji_name)
        from reactions r join users u on u.id = r.user_id where r.message_id = m.id),
      (select string_agg(concat_ws('/', u.full_name, f.starred, f.mentioned), ',' order by u.full_name)
        from message_flags f join users u on u.id = f.user_id where f.message_id = m.id),
      (select string_agg(concat_ws('/', e.edited_at, e.prev_content, e.prev_topic), ',' order by e.id)
        from message_edits e where e.message_id = m.id)) as more
    from messages m join users s on s.id = m.sender_id left join channels c on c.id = m.conversation_id
      left join topics t on t.id = m.topic_id
    where m.realm_id = ${realm.id} order by m.id`.execute(realm.ctx.db);
  return rows;
}

/** What people have: received and read ids among imported ones, counted from the first. */
async function listPlaces(realm: TestRealm): Promise<unknown[]> {
  const { rows } = await sql`
    with block as (
      select min(id) as first, int8multirange(int8range(min(id), max(id) + 1)) as ids from messages where realm_id = ${realm.id}
    ), shifted as (
      select s.user_id, s.channel_id as place, 'received' as kind, unnest(s.received * block.ids) as ids, block.first
      from subscriptions s, block where s.realm_id = ${realm.id}
      union all
      select s.user_id, s.channel_id, 'read', unnest(s.read * block.ids), block.first
      from subscriptions s, block where s.realm_id = ${realm.id}
      union all
      select p.user_id, p.conversation_id, 'read', unnest(p.read * block.ids), block.first
      from participations p, block where p.realm_id = ${realm.id}
    )
    select u.full_name, coalesce(c.name, 'direct') as place, kind, lower(ids) - first as lower, upper(ids) - first as upper
    from shifted join users u on u.id = user_id left join channels c on c.id = place
    order by 1, 2, 3, 4, 5`.execute(realm.ctx.db);
  return rows;
}

const counted = [
  "users",
  "channels",
  "topics",
  "subscriptions",
  "participations",
  "user_topics",
  "user_groups",
  "user_group_members",
  "user_group_subgroups",
  "alert_words",
  "saved_snippets",
  "import_map",
  "import_messages",
] as const;

async function countRows(realm: TestRealm): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of counted) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.table(table)} where realm_id = ${realm.id}`.execute(realm.ctx.db);
    counts[table] = rows[0]?.count ?? 0;
  }
  return counts;
}

const withoutIds = (rows: readonly Row[]) =>
  rows.map(({ id: _, content, ...row }) => ({ ...row, content: content.replaceAll(/(?<=[|/])\d+/g, "#") }));

function withExtras(given: RandomExport): RandomExport {
  const group = { description: "", isActive: true, subgroups: [] };
  return {
    ...given,
    topicVisibility: [{ personId: "ann", channelId: "open", topic: "open north", policy: 3 }],
    groups: [
      { ...group, id: "g1", name: "crew", members: ["ann", "gone"], subgroups: ["g2"] },
      { ...group, id: "g2", name: "watch", members: ["ben"] },
      { ...group, id: "g3", name: "old", members: [], isActive: false },
    ],
    personal: [
      {
        personId: "ann",
        alertWords: ["lamp", "fog"],
        mutedPeople: ["cleo"],
        snippets: [{ title: "Hi", content: "Hello", text: ["Hello"] }],
        settings: { twenty_four_hour_time: true },
      },
    ],
  };
}

test.for([11, 12])(
  "a run that is killed at any batch, again and again, ends like an undisturbed one (%i)",
  async (seed) => {
    const chance = new Chance(seed);
    const given = withExtras(randomExport(chance));
    const [calm, shaken] = [await newRealm(), await newRealm()];
    const report = await importInto(calm, given);

    let killed = 0;
    let result: typeof report | undefined;
    while (!result) {
      let left = chance.below(4);
      const onBatch = () => {
        if (left-- === 0) throw new Error("killed");
      };
      result = await importInto(shaken, given, { onBatch }).catch((error: Error) => {
        if (error.message !== "killed") throw error;
        if (++killed > 200) throw new Error("it never ends", { cause: error });
        return undefined;
      });
    }

    expect(killed).toBeGreaterThan(5);
    expect(result).toEqual(report);
    expect(withoutIds(await listMessages(shaken))).toEqual(withoutIds(await listMessages(calm)));
    expect(await listPlaces(shaken)).toEqual(await listPlaces(calm));
    expect(await countRows(shaken)).toEqual(await countRows(calm));
    expect(await countRows(calm)).toMatchObject({ import_messages: 0, user_group_subgroups: 1, alert_words: 2 });
  },
);

/** Changes a message as its sender or an owner might. */
async function change(
  kind: number,
  owner: TestUser,
  senders: ReadonlyMap<string, TestUser>,
  message: RandomExport["messages"][number],
  id: number,
): Promise<void> {
  const sender = senders.get(message.senderId) ?? owner;
  switch (kind % 5) {
    case 0:
      await sender.call(updateMessage, { message_id: id, content: `${wordOf(message.id)} changed here` });
      return;
    case 1:
      await sender.call(addReaction, { message_id: id, emoji_name: "tada" });
      return;
    case 2:
      await owner.call(deleteMessage, { message_id: id });
      return;
    case 3:
      await owner.call(updateMessage, { message_id: id, topic: "moved here", propagate_mode: "change_one" });
      return;
    default:
      await owner.call(updateMessage, {
        message_id: id,
        topic: `${message.topic} renamed`,
        propagate_mode: "change_all",
        send_notification_to_old_thread: false,
        send_notification_to_new_thread: false,
      });
  }
}

test.for([21, 22, 23])(
  "a newer export adds what is new, doubles nothing, and leaves changes alone (%i)",
  async (seed) => {
    const chance = new Chance(seed);
    const realm = await newRealm();
    const first = withExtras(randomExport(chance, 30));
    // The owner can read and change everything.
    for (const channel of first.channels) channel.members = [...new Set([...channel.members, "owner"])];
    for (const message of first.messages) message.receivedBy = [...new Set([...(message.receivedBy ?? []), "owner"])];
    await importInto(realm, first);
    const ids = await importedIds(realm);
    const owner = await signIn(realm, "owner@lantern.example");
    const senders = new Map<string, TestUser>();
    for (const person of ["ann", "ben", "cleo", "guest"])
      senders.set(person, await signIn(realm, `${person}@lantern.example`));
    await sql`
    update realms set message_content_edit_limit_seconds = null, move_messages_within_stream_limit_seconds = null
    where id = ${realm.id}`.execute(realm.ctx.db);
    const touched = first.messages.filter(({ channelId }) => channelId !== undefined && chance.isLucky(0.6));
    for (const [n, message] of touched.entries()) await change(n, owner, senders, message, ids.get(message.id) ?? 0);
    success(await owner.call(sendMessage, { type: "direct", to: [owner.id], content: "written here" }));
    const before = await listMessages(realm);
    const left = new Set(before.map(({ id }) => id));
    expect([...ids.values()].some((id) => !left.has(id))).toBe(true);
    expect(before.some(({ topic }) => topic?.endsWith("renamed"))).toBe(true);

    // In the other chat old messages were changed, too, and a person and a channel are new.
    const newer: RandomExport = {
      ...first,
      messages: first.messages.map((message) => ({ ...message, text: ["other"] })),
    };
    for (let n = 0; n < 10; n++) addMessage(newer, chance);
    const report = await importInto(realm, newer, { fingerprint: "newer" });

    expect(report.imported).toMatchObject({ messages: 10, users: 0, channels: 0, settings: 0 });
    const after = await listMessages(realm);
    const old = new Set(before.map(({ id }) => id));
    expect(after.filter(({ id }) => old.has(id))).toEqual(before);
    const added = after.filter(({ id }) => !old.has(id));
    expect(added.map(({ content }) => /^word(m\d+)x/.exec(content)?.[1])).toEqual(
      newer.messages.slice(first.messages.length).map(({ id }) => id),
    );
    const again = await importInto(realm, newer, { fingerprint: "again" });
    expect(Object.values(again.imported).every((count) => count === 0)).toBe(true);
    expect(await listMessages(realm)).toEqual(after);
  },
);
