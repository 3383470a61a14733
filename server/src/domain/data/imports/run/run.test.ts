import { updateMessage } from "@skein/api/edits.ts";
import { getMessages } from "@skein/api/fetch-messages.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { fetchApiKey } from "@skein/api/authentication.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { getUsers } from "@skein/api/users.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { channelOf, sendToChannel } from "../../../../../test/actions.ts";
import { countStaged, importInto, signIn } from "../../../../../test/imports.ts";
import { at, sourceChannel, sourcePerson, type Export } from "../../../../../test/memory-source.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../../test/realm.ts";
import type { SourceMessage, SourceText } from "../source.ts";
import { mergeUsers } from "../../merge/merge.ts";
import { Commands } from "../../../../../test/commands.ts";
import { hashPassword } from "../../../people/auth/passwords.ts";
import { transaction } from "../../../../platform/db/transaction.ts";
import { toPlan } from "./plan.ts";

const message = (
  id: string,
  time: string,
  senderId: string,
  text: SourceText | string,
  more: Partial<SourceMessage> = {},
): SourceMessage => ({
  id,
  channelId: "harbour",
  senderId,
  at: at(time),
  text: typeof text === "string" ? [text] : text,
  threadName: typeof text === "string" ? text : "A thread",
  ...more,
});

const small: Export = {
  people: [
    sourcePerson("ines", { role: 100, name: "Ines Calder" }),
    sourcePerson("tomasz", { name: "Tomasz Wren" }),
    sourcePerson("rashid", { name: "Rashid Bellamy" }),
    { ...sourcePerson("dov", { name: "Dov Marsh", isActive: false }), email: undefined } as never,
  ],
  channels: [
    sourceChannel("harbour", ["ines", "tomasz", "rashid", "dov"], { description: "All about it" }),
    sourceChannel("keepers", ["ines", "tomasz"], { isPrivate: true }),
    sourceChannel("old boats", ["ines"], { isArchived: true }),
  ],
  directs: [
    { id: "D1", members: ["ines", "tomasz"] },
    { id: "D2", members: ["ines", "ines"] },
  ],
  messages: [
    message("r2", "2024-06-01 08:00", "tomasz", "Because of the fog", { threadId: "r1" }),
    message("m1", "2024-05-22 14:00", "ines", [
      "Hello ",
      { kind: "person", id: "tomasz" },
      ", see ",
      { kind: "channel", id: "keepers" },
    ]),
    message("r1", "2024-05-22 14:03", "ines", "Why is the lamp out?", {
      threadId: "r1",
      reactions: [{ emojiName: "check", people: ["ines"] }],
    }),
    message(
      "r3",
      "2024-06-02 08:00",
      "rashid",
      ["Look: ", { kind: "file", file: { entry: "lamp.txt", name: "lamp.txt" } }],
      {
        threadId: "r1",
        isBroadcast: true,
        editedAt: at("2024-06-02 09:00"),
        starredBy: ["ines"],
      },
    ),
    {
      stub: {
        ...sourcePerson("ghost", { name: "Ghost", isActive: false, isListed: false }),
        email: undefined,
      } as never,
    },
    message("g1", "2024-06-03 08:00", "ghost", "Lost its root", { threadId: "gone", threadAt: at("2024-04-30 23:00") }),
    message("m2", "2024-06-04 08:00", "tomasz", [
      "As said: ",
      { kind: "message", id: "r2", original: "https://x.example/r2" },
      { kind: "message", id: "none", original: "https://x.example/none" },
    ]),
    message("k1", "2024-06-05 08:00", "tomasz", "Confidential", { channelId: "keepers" }),
    message("o1", "2020-01-05 08:00", "ines", "Old", { channelId: "old boats" }),
    message("d1", "2024-06-06 08:00", "tomasz", "Hi", { channelId: undefined as never, directId: "D1" }),
    message("d2", "2024-06-06 09:00", "ines", "Note", { channelId: undefined as never, directId: "D2" }),
  ],
  files: { "lamp.txt": Buffer.from("a lamp") },
};

interface StoredRow {
  place: string;
  topic: string | null;
  sender: string;
  content: string;
  sent: string;
  flags: string;
}

/** All messages in the order of their ids, without the ids. */
async function listStored(realm: TestRealm): Promise<StoredRow[]> {
  const { rows } = await sql<StoredRow>`
    select coalesce(c.name, (select string_agg(u.full_name, ', ' order by u.full_name) from participations p
        join users u on u.id = p.user_id where p.conversation_id = m.conversation_id)) as place, t.name as topic,
      s.full_name as sender, m.content, to_char(m.date_sent at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as sent,
      concat_ws(' ', (select string_agg(emoji_name || ' ' || u.full_name, ',') from reactions r join users u on u.id = r.user_id
        where r.message_id = m.id), (select string_agg('starred', ',') from message_flags f where f.message_id = m.id and f.starred),
        (select string_agg('edited ' || e.edited_at, ',') from message_edits e where e.message_id = m.id),
        (select string_agg(a.file_name, ',') from attachment_messages am join attachments a on a.id = am.attachment_id
          where am.message_id = m.id), (select 'found' from message_search w where w.message_id = m.id)) as flags
    from messages m join users s on s.id = m.sender_id left join channels c on c.id = m.conversation_id
      left join topics t on t.id = m.topic_id
    where m.realm_id = ${realm.id} order by m.id`.execute(realm.ctx.db);
  return rows.map((row) => ({
    ...row,
    content: row.content.replaceAll(/\d+/g, "#").replaceAll(/\/##?\/[^)]*\//g, "/…/"),
  }));
}

const narrowTo = (channel: string, topic: string) => [
  { operator: "channel", operand: channel },
  { operator: "topic", operand: topic },
];

async function read(user: TestUser, narrow: { operator: string; operand: string }[]) {
  const page = success(
    await user.call(getMessages, {
      anchor: "oldest",
      num_before: 0,
      num_after: 100,
      narrow,
      apply_markdown: false,
    }),
  );
  return page.messages.map(({ sender_full_name, content, id }) => ({ sender_full_name, content, id }));
}

test("threads become topics, and the Notification Bot writes where they are", async () => {
  const realm = await newRealm();

  const report = await importInto(realm, small);

  const bot = "Notification Bot";
  const stored = await listStored(realm);
  expect(stored.map(({ place, topic, sender, content }) => [place, topic, sender, content])).toEqual([
    ["old boats", "channel talk · 2020-01", "Ines Calder", "Old"],
    ["harbour", "Lost its root", bot, "The message that this thread begins with is not in the export."],
    ["harbour", "channel talk · 2024-04", bot, expect.stringMatching(/^Thread: \[Lost its root\]\(.*\), # reply\.$/)],
    ["harbour", "channel talk · 2024-05", "Ines Calder", "Hello @_**Tomasz Wren|#**, see #**keepers**"],
    ["harbour", "✔ Why is the lamp out?", "Ines Calder", "Why is the lamp out?"],
    ["harbour", "channel talk · 2024-05", bot, expect.stringContaining(", # replies.")],
    ["harbour", "✔ Why is the lamp out?", "Tomasz Wren", "Because of the fog"],
    ["harbour", "✔ Why is the lamp out?", "Rashid Bellamy", expect.stringContaining("Look: [lamp.txt](/user_uploads/")],
    ["harbour", "channel talk · 2024-06", bot, expect.stringMatching(/Rashid Bellamy[^]*near\/#\)[^]*Look: /)],
    ["harbour", "Lost its root", "Ghost", "Lost its root"],
    [
      "harbour",
      "channel talk · 2024-06",
      "Tomasz Wren",
      expect.stringMatching(/^As said: \[.*near\/#\)https:\/\/x\.example\/none$/),
    ],
    ["keepers", "channel talk · 2024-06", "Tomasz Wren", "Confidential"],
    ["Ines Calder, Tomasz Wren", null, "Tomasz Wren", "Hi"],
    ["Ines Calder", null, "Ines Calder", "Note"],
  ]);
  expect(stored[4]?.flags).toBe("check Ines Calder found");
  expect(stored[7]?.flags).toMatch(/^starred edited 2024-06-02 09:00:00\+00 lamp\.txt found$/);
  expect(report.imported).toMatchObject({ messages: 10, notices: 4, users: 4, stub_users: 1, channels: 3, files: 1 });
  expect(report.skipped).toEqual({ permalink_unresolved: 1 });
});

test("nobody sees more than before, everything is read, and nobody is notified", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["message"]);
  await importInto(realm, small);
  const [ines, rashid] = [await signIn(realm, "ines@lantern.example"), await signIn(realm, "rashid@lantern.example")];

  const state = await ines.register(["message"], ["message", "update_message_flags", "starred_messages"]);
  const secret = await rashid.call(getMessages, {
    anchor: "oldest",
    num_before: 0,
    num_after: 100,
    narrow: [{ operator: "channel", operand: "keepers" }],
  });

  expect(state.state).toMatchObject({ unread_msgs: { count: 0 }, starred_messages: [expect.any(Number)] });
  expect(secret).toMatchObject({ result: "error" });
  expect(await read(rashid, [{ operator: "search", operand: "confidential" }] as never)).toEqual([]);
  expect(await read(ines, [{ operator: "search", operand: "confidential" }] as never)).toHaveLength(1);
  expect(await read(ines, [{ operator: "is", operand: "mentioned" }])).toEqual([]);
  const { rows } = await sql<{ newest: number; missed: number }>`
    select max(id) as newest, (select count(*) from missed_messages where realm_id = ${realm.id}) as missed
    from messages where realm_id = ${realm.id}`.execute(realm.ctx.db);
  expect(rows[0]?.newest).toBeLessThan(1_000_000_000);
  expect(rows[0]?.missed).toBe(0);
  await expect(queue.all()).rejects.toThrow("BAD_EVENT_QUEUE_ID");
});

test("a second run adds nothing, and a newer export only what is new", async () => {
  const realm = await newRealm();
  await importInto(realm, small);
  const before = await listStored(realm);

  const again = await importInto(realm, small, { fingerprint: "the same again" });
  expect(Object.values(again.imported).every((count) => count === 0)).toBe(true);
  expect(await listStored(realm)).toEqual(before);

  const ines = await signIn(realm, "ines@lantern.example");
  const [root] = await read(ines, narrowTo("harbour", "✔ Why is the lamp out?"));
  success(
    await realm.admin.call(updateMessage, {
      message_id: root?.id,
      topic: "Lamp",
      propagate_mode: "change_all",
      send_notification_to_old_thread: false,
      send_notification_to_new_thread: false,
    } as never),
  );
  const newer = await importInto(
    realm,
    {
      ...small,
      messages: [...(small.messages ?? []), message("r4", "2024-07-01 08:00", "ines", "And now?", { threadId: "r1" })],
    },
    { fingerprint: "newer" },
  );

  expect(newer.imported).toMatchObject({ messages: 1, notices: 0, users: 0, channels: 0 });
  const topic = await read(ines, narrowTo("harbour", "Lamp"));
  expect(topic.map(({ content }) => content).at(-1)).toBe("And now?");
  expect(topic).toHaveLength(4);
});

test("a run that is interrupted anywhere ends like one that is not", async () => {
  const [calm, shaken] = [await newRealm(), await newRealm()];
  const report = await importInto(calm, small);

  let attempts = 0;
  let result: Awaited<ReturnType<typeof importInto>> | undefined;
  while (!result) {
    attempts++;
    let [batches, messages] = [0, 0];
    const interrupted = {
      ...small,
      onMessage: () => {
        if (attempts === 1 && ++messages === 5) throw new Error("interrupted");
      },
    };
    const onBatch = () => {
      if (++batches === 2) throw new Error("interrupted");
    };
    result = await importInto(shaken, interrupted, { onBatch }).catch((error: Error) => {
      if (error.message !== "interrupted") throw error;
      return undefined;
    });
  }

  expect(attempts).toBeGreaterThan(8);
  expect(result).toEqual(report);
  expect(await listStored(shaken)).toEqual(await listStored(calm));
  const countRows = async (realm: TestRealm) => {
    const counts: Record<string, number> = {};
    for (const table of [
      "users",
      "channels",
      "topics",
      "subscriptions",
      "participations",
      "attachments",
      "import_map",
      "import_messages",
    ] as const) {
      const { rows } = await sql<{ count: number }>`
        select count(*) as count from ${sql.table(table)} where realm_id = ${realm.id}`.execute(realm.ctx.db);
      counts[table] = rows[0]?.count ?? 0;
    }
    return counts;
  };
  expect(await countRows(shaken)).toEqual(await countRows(calm));
  expect(await countRows(calm)).toMatchObject({ import_messages: 0 });
});

test("two imports into an organization at once are refused", async () => {
  const realm = await newRealm();
  let second: Promise<unknown> | undefined;
  const onProgress = () => {
    second ??= importInto(realm, small).catch((error: Error) => error.message);
  };

  await importInto(realm, small, { onProgress });

  expect(await second).toBe("Another import into this organization is running.");
});

/** Merges two new accounts; resolves to the error's message, if it is refused. */
async function mergeInto(realm: TestRealm, name: string, onProgress?: () => void): Promise<unknown> {
  const [from, into] = [await realm.user(`${name}-old`), await realm.user(name)];
  const { db } = realm.ctx;
  const row = await db.selectFrom("realms").selectAll().where("id", "=", realm.id).executeTakeFirstOrThrow();
  await sendMessageAs(from);
  return mergeUsers(db, row, from.id, into.id, onProgress).catch((error: Error) => error.message);
}

const sendMessageAs = async (user: TestUser) =>
  success(await user.call(sendMessage, { type: "direct", to: [user.id], content: "To be moved" } as never));

const interrupt = () => {
  throw new Error("interrupted");
};

test("an import does not begin or continue during a merge of accounts, nor a merge during an import", async () => {
  const [merging, importing] = [await newRealm(), await newRealm()];
  expect(await mergeInto(merging, "gertrude", interrupt)).toBe("interrupted");
  await expect(importInto(importing, small, { onBatch: interrupt })).rejects.toThrow("interrupted");

  await expect(importInto(merging, small)).rejects.toThrow(
    /^The merge of account \d+ into \d+ is not finished\. Finish it first: skein user merge \d/,
  );
  expect(await mergeInto(importing, "gertrude")).toMatch(/^An import into this organization is not finished\./);

  await importInto(importing, small);
  expect(await mergeInto(importing, "ophelia")).toMatchObject({ messages: 1 });
});

test("of an import and a merge of accounts that begin at once, one is refused", async () => {
  const realm = await newRealm();
  const { db } = realm.ctx;
  let merge: Promise<unknown> | undefined;
  let run: Promise<unknown> | undefined;

  await transaction(db, "hold the organization", async (tx) => {
    const [from, into] = [await realm.user("gertrude-old"), await realm.user("gertrude")];
    await sendMessageAs(from);
    const row = await tx
      .selectFrom("realms")
      .selectAll()
      .where("id", "=", realm.id)
      .forUpdate()
      .executeTakeFirstOrThrow();
    merge = mergeUsers(db, row, from.id, into.id, interrupt).catch((error: Error) => error.message);
    run = importInto(realm, small, { onBatch: interrupt }).catch((error: Error) => error.message);
    const waiting = async () => {
      const { rows } = await sql<{ count: number }>`
        with recursive waits (pid) as (
          select pg_backend_pid()
          union select a.pid from waits join pg_stat_activity a on waits.pid = any(pg_blocking_pids(a.pid)))
        select count(*) - 1 as count from waits`.execute(tx);
      return rows[0]?.count;
    };
    await expect.poll(waiting).toBe(2);
  });

  const outcomes = [await merge, await run];
  expect(outcomes.filter((outcome) => outcome === "interrupted")).toHaveLength(1);
  expect(outcomes.filter((outcome) => String(outcome).includes("is not finished."))).toHaveLength(1);
});

const listChannels = async (realm: TestRealm) => {
  const { rows } = await sql`
    select c.name, c.is_archived, m.content as first_message from channels c left join messages m on m.id = c.first_message_id
    where c.realm_id = ${realm.id} order by c.name`.execute(realm.ctx.db);
  return rows;
};

test("an import that is given up leaves nothing staged, and what it has stored is complete", async () => {
  const [calm, realm] = [await newRealm(), await newRealm()];
  await importInto(calm, small);
  const queue = await realm.admin.register(["message"]);
  let isLate = false;
  const late = {
    onProgress: ({ phase }: { phase: string }) => void (isLate ||= phase === "finishing"),
    onBatch: () => {
      if (isLate) interrupt();
    },
  };
  await expect(importInto(realm, small, late)).rejects.toThrow("interrupted");
  expect(await countStaged(realm)).toBeGreaterThan(0);
  const skein = new Commands(realm.ctx);
  const name = realm.host.split(".")[0] ?? "";

  expect(await skein.json("import", "abandon", "--realm", name)).toMatchObject({ source: "slack" });

  expect(await countStaged(realm)).toBe(0);
  expect(await listStored(realm)).toEqual(await listStored(calm));
  expect(await listChannels(realm)).toEqual(await listChannels(calm));
  await expect(queue.all()).rejects.toThrow("BAD_EVENT_QUEUE_ID");
  await expect(skein.json("import", "abandon", "--realm", name)).rejects.toThrow("is unfinished");
  expect(await mergeInto(realm, "gertrude")).toMatchObject({ messages: 1 });
  const rest = await importInto(realm, small);
  expect(rest.imported).toMatchObject({ messages: 0, users: 0, channels: 0 });
});

test("people write, edit and react while an import runs", async () => {
  const realm = await newRealm();
  const colleague = await realm.user("colleague");
  const sent: Promise<unknown>[] = [];
  const onProgress = () => {
    sent.push(
      colleague.call(sendMessage, { type: "direct", to: [realm.admin.id], content: `Number ${sent.length}` } as never),
    );
  };
  const many = Array.from({ length: 3000 }, (_, n) => message(`n${n}`, "2024-08-01 08:00", "ines", `Line ${n}`));

  const report = await importInto(realm, { ...small, messages: [...(small.messages ?? []), ...many] }, { onProgress });

  const answers = (await Promise.all(sent)) as { result: string; id: number }[];
  expect(answers.length).toBeGreaterThan(5);
  expect(answers.every(({ result }) => result === "success")).toBe(true);
  expect(report.imported.messages).toBe(3010);
  const ines = await signIn(realm, "ines@lantern.example");
  const topic = await read(ines, narrowTo("harbour", "channel talk · 2024-08"));
  expect(topic[99]?.content).toBe("Line 99");
});

test("PostgreSQL knows how large the tables have become, as soon as they are filled", async () => {
  const realm = await newRealm();
  const analyses = async () => {
    const { rows } = await sql<{ name: string; count: number }>`
      select relname as name, analyze_count::integer as count from pg_stat_user_tables
      where relname in ('messages', 'topics', 'users', 'subscriptions')`.execute(realm.ctx.db);
    return new Map(rows.map(({ name, count }) => [name, count]));
  };
  const before = await analyses();
  await importInto(realm, small);
  // The connection that analyzed reports it a moment later.
  await expect
    .poll(async () => {
      const after = await analyses();
      return [...before].filter(([name, count]) => (after.get(name) ?? 0) < count + 2).map(([name]) => name);
    })
    .toEqual([]);
});

test("accounts are found by their addresses without case, and keep their names and roles", async () => {
  const realm = await newRealm();
  const { db } = realm.ctx;
  const existing = await realm.user("somebody", { role: 600, fullName: "Somebody" });
  await db.updateTable("users").set({ delivery_email: "INES@Lantern.example" }).where("id", "=", existing.id).execute();

  const report = await importInto(realm, small);

  expect(report.imported.users).toBe(3);
  const stored = await listStored(realm);
  expect(stored[0]?.sender).toBe("Somebody");
  const row = await db.selectFrom("users").selectAll().where("id", "=", existing.id).executeTakeFirstOrThrow();
  expect(row).toMatchObject({ role: 600, full_name: "Somebody" });
});

test("an account that an import made is a stub until somebody signs in to it, and clients are told", async () => {
  const realm = await newRealm();
  const { db } = realm.ctx;
  await importInto(realm, small);
  const stubs = async (): Promise<string[]> =>
    success(await realm.admin.call(getUsers, {}))
      .members.filter((user) => user.is_imported_stub)
      .map((user) => user.full_name);
  expect((await stubs()).toSorted()).toEqual(["Dov Marsh", "Ghost", "Ines Calder", "Rashid Bellamy", "Tomasz Wren"]);

  const [username, password] = ["ines@lantern.example", "a long way home"];
  await db
    .updateTable("users")
    .set({ password_hash: await hashPassword(password) })
    .where("realm_id", "=", realm.id)
    .where("delivery_email", "=", username)
    .execute();
  const queue = await realm.admin.register(["realm_user"]);
  const key = success(await realm.admin.call(fetchApiKey, { username, password }));
  success(await realm.admin.call(fetchApiKey, { username, password }));

  const person = { user_id: key.user_id, is_imported_stub: false };
  expect(await queue.all()).toMatchObject([{ type: "realm_user", op: "update", person }]);
  expect(await stubs()).not.toContain("Ines Calder");
});

test("what was unread stays unread, in followed threads by their own time", async () => {
  const realm = await newRealm();
  await importInto(realm, {
    ...small,
    name: "mattermost",
    readStates: [
      { personId: "rashid", channelId: "harbour", readUntil: at("2024-05-22 14:01") },
      { personId: "tomasz", channelId: "harbour", readUntil: at("2024-06-10 00:00") },
      { personId: "tomasz", threadId: "r1", readUntil: at("2024-06-01 09:00") },
      { personId: "ines", directId: "D1", readUntil: at("2024-06-06 07:00") },
    ],
    followers: [{ personId: "tomasz", threadId: "r1" }],
  });

  const unreadOf = async (email: string) => {
    const user = await signIn(realm, email);
    const { state } = await user.register(["message"], ["message", "update_message_flags", "user_topic"]);
    return { user, state };
  };
  const rashid = await unreadOf("rashid@lantern.example");
  expect(rashid.state.unread_msgs).toMatchObject({ count: 4 });
  const tomasz = await unreadOf("tomasz@lantern.example");
  expect(tomasz.state.unread_msgs).toMatchObject({ count: 1, streams: [{ topic: "✔ Why is the lamp out?" }] });
  expect(tomasz.state.user_topics).toMatchObject([{ topic_name: "✔ Why is the lamp out?", visibility_policy: 3 }]);
  const ines = await unreadOf("ines@lantern.example");
  expect(ines.state.unread_msgs).toMatchObject({ count: 1, pms: [{ unread_message_ids: [expect.any(Number)] }] });
});

test("a private channel is not merged into one that others can read", async () => {
  const realm = await newRealm();
  await importInto(realm, { ...small, messages: [] });
  const plan = toPlan({ channels: [{ id: "secrets", action: "merge", into: "harbour" }] });
  const secrets: Export = {
    name: "mattermost",
    people: small.people ?? [],
    channels: [sourceChannel("secrets", ["ines"], { isPrivate: true })],
  };

  await expect(importInto(realm, secrets, { plan, fingerprint: "secrets" })).rejects.toThrow(
    "where others could read it",
  );
});

test("members of a channel do not gain the history of the one it is merged into", async () => {
  const realm = await newRealm();
  const guest = await realm.user("guest", { role: 600 });
  const { db } = realm.ctx;
  await db.updateTable("users").set({ delivery_email: "gus@lantern.example" }).where("id", "=", guest.id).execute();
  const attic = await channelOf([realm.admin], "attic", { isPrivate: true });
  const lobby = await channelOf([realm.admin], "lobby");
  for (const channel of [attic, lobby]) await sendToChannel(realm.admin, channel, { content: "From before" });
  const people = [sourcePerson("ines"), sourcePerson("gus", { role: 600 }), sourcePerson("left", { isActive: false })];
  const merged = (into: string, members: string[], fingerprint: string) =>
    importInto(
      realm,
      {
        people,
        channels: [sourceChannel("cellar", members)],
        messages: [message(`in ${into}`, "2024-05-22 14:00", "ines", "Moved", { channelId: "cellar" })],
      },
      { plan: toPlan({ channels: [{ id: "cellar", action: "merge", into }] }), fingerprint },
    );

  await expect(merged("attic", ["ines", "left"], "first")).rejects.toThrow(
    "The plan merges cellar into attic, whose messages Person ines cannot read now.",
  );
  await expect(merged("lobby", ["ines", "gus"], "second")).rejects.toThrow("whose messages guest cannot read now.");

  // Added by somebody who may, and then merged; the inactive account stays outside.
  const ines = await signIn(realm, "ines@lantern.example");
  success(await realm.admin.call(subscribe, { subscriptions: [{ name: "attic" }], principals: [ines.id] }));
  await merged("attic", ["ines", "left"], "third");
  const texts = (await read(ines, [{ operator: "channel", operand: "attic" }])).map(({ content }) => content);
  expect(texts.filter((text) => text === "Moved" || text === "From before")).toEqual(["Moved", "From before"]);
  const { rows } = await sql<{ email: string }>`
    select u.delivery_email as email from subscriptions s join users u on u.id = s.user_id
    where s.channel_id = ${attic.id} order by 1`.execute(db);
  expect(rows.map(({ email }) => email)).not.toContain("left@lantern.example");

  // A public namesake is not merged without a plan if a guest would gain its history.
  await importInto(
    realm,
    {
      name: "mattermost",
      people,
      channels: [sourceChannel("lobby", ["ines", "gus"])],
      messages: [message("l1", "2024-05-22 14:00", "ines", "Here", { channelId: "lobby" })],
    },
    { fingerprint: "fourth" },
  );
  const gus = await signIn(realm, "gus@lantern.example");
  expect((await read(gus, [{ operator: "search", operand: "before" }])).map(({ content }) => content)).toEqual([]);
  expect((await listStored(realm)).find(({ content }) => content === "Here")?.place).toBe("lobby (mattermost)");
});

test("a later import subscribes new members only where they gain nothing but what was imported", async () => {
  const realm = await newRealm();
  const attic = await channelOf([realm.admin], "attic", { isPrivate: true });
  const people = ["ines", "tom"].map((id) => sourcePerson(id));
  const plan = toPlan({ channels: [{ id: "cellar", action: "merge", into: "attic" }] });
  const importWith = (members: string[], fingerprint: string) =>
    importInto(
      realm,
      {
        people,
        channels: ["cellar", "vault"].map((id) => sourceChannel(id, members, { isPrivate: true })),
        messages: ["cellar", "vault"].map((channelId) =>
          message(`in ${channelId}`, "2024-05-22 14:00", "ines", `In the ${channelId}`, { channelId }),
        ),
      },
      { plan, fingerprint },
    );
  await importInto(realm, { people }, { fingerprint: "people" });
  const ines = await signIn(realm, "ines@lantern.example");
  success(await realm.admin.call(subscribe, { subscriptions: [{ name: "attic" }], principals: [ines.id] }));
  success(await realm.admin.call(unsubscribe, { subscriptions: ["attic"], principals: [realm.admin.id] }));
  await importWith(["ines"], "first");
  await sendToChannel(ines, attic, { content: "Written here" });

  const report = await importWith(["ines", "tom"], "second");

  expect(report.remarks).toEqual([
    "Not subscribed to attic: Person tom. They could read messages there that are not in the export. Add them to that channel if they may.",
  ]);
  const tom = await signIn(realm, "tom@lantern.example");
  const vault = await read(tom, [{ operator: "channel", operand: "vault" }]);
  expect(vault.map(({ content }) => content)).toContain("In the vault");
  const { rows } = await sql`
    select from subscriptions where channel_id = ${attic.id} and user_id = ${tom.id}`.execute(realm.ctx.db);
  expect(rows).toEqual([]);
});

test("threads with the same name get different topics", async () => {
  const realm = await newRealm();
  const pair = (id: string, time: string, name: string): SourceMessage[] => [
    message(id, time, "ines", name, { threadId: id }),
    message(`${id}-reply`, time, "tomasz", "Yes", { threadId: id }),
  ];

  await importInto(realm, {
    ...small,
    messages: [
      ...pair("a", "2024-05-22 14:00", "Lamp"),
      ...pair("b", "2024-05-22 15:00", "lamp"),
      ...pair("c", "2024-05-22 16:00", "LAMP"),
      ...pair("d", "2024-05-23 16:00", "channel talk · 2024-05"),
    ],
  });

  const topics = new Set((await listStored(realm)).map(({ topic }) => topic));
  expect([...topics]).toEqual([
    "Lamp",
    "channel talk · 2024-05",
    "lamp (2024-05-22)",
    "LAMP (2024-05-22 2)",
    "channel talk · 2024-05 (2024-05-23)",
  ]);
});
