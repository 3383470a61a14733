import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { subscribe, unsubscribe } from "@skein/api/subscriptions.ts";
import { sql } from "kysely";
import { expect, onTestFinished, test, vi } from "vitest";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { updateUser } from "@skein/api/users.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";

const channel = "elsinore";

async function withChannel(settings: Partial<Parameters<typeof newChannel>[1]> = {}) {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  await newChannel(realm, { principals: [hamlet.id], ...settings });
  return { realm, hamlet };
}

async function newChannel(
  realm: TestRealm,
  settings: { principals: number[]; invite_only?: boolean; history_public_to_subscribers?: boolean },
) {
  success(await realm.admin.call(subscribe, { subscriptions: [{ name: channel }], ...settings }));
}

const post = (topic: string, content = "words") => ({ type: "channel" as const, to: channel, topic, content });
const idOf = async (user: TestUser, message: Parameters<typeof send>[1]) => success(await send(user, message)).id;
const send = (user: TestUser, message: ReturnType<typeof post>) => user.call(sendMessage, message);
const fetchAs = async (user: TestUser, message_id: number) =>
  success(await user.call(getMessage, { message_id, apply_markdown: false, allow_empty_topic_name: true })).message;

// spec 4.1: type, to, content, topic, response id
// spec 6: message
test("subscribers receive a channel message in the form each queue requested", async () => {
  const { realm, hamlet } = await withChannel();
  const [raw, html, outside] = [
    await hamlet.register(["message"]),
    await hamlet.register(["message"], [], { apply_markdown: true }),
    await realm.admin.register(["message"]),
  ];

  const id = await idOf(hamlet, post("watch", "<b>who</b>"));
  const mark = success(await hamlet.call(sendMessage, { type: "direct", to: [realm.admin.id], content: "mark" }));

  const event = await raw.nextOf("message");
  expect(event.message).toMatchObject({
    id,
    type: "stream",
    display_recipient: channel,
    subject: "watch",
    content: "<b>who</b>",
    content_type: "text/x-markdown",
  });
  expect((await html.nextOf("message")).message).toMatchObject({
    content: "<p>&lt;b&gt;who&lt;/b&gt;</p>",
    content_type: "text/html",
  });
  // The owner created the channel for others and did not join it.
  expect((await outside.nextOf("message")).message.id).toBe(mark.id);
});

test("queues for all public channels, and narrowed ones, receive messages of other channels, but never of private ones", async () => {
  const { realm, hamlet } = await withChannel();
  success(await hamlet.call(subscribe, { subscriptions: [{ name: "closet" }], invite_only: true }));
  const everything = await realm.admin.register(["message"], [], { all_public_streams: true });
  const narrowed = await realm.admin.register(["message"], [], {
    narrow: [
      ["channel", channel],
      ["topic", "ghost"],
    ],
  });

  await idOf(hamlet, { ...post("ghost", "private"), to: "closet" });
  await idOf(hamlet, post("watch"));
  const id = await idOf(hamlet, post("ghost"));

  expect((await everything.nextOf("message")).message.subject).toBe("watch");
  expect((await everything.nextOf("message")).message.id).toBe(id);
  expect((await narrowed.nextOf("message")).message.id).toBe(id);
});

// spec 4.1: to; 9: type private, subject
test("a channel can be given by its name in any case, as JSON, in a list, or by its id", async () => {
  const { hamlet } = await withChannel();
  const { stream_id } = await fetchAs(hamlet, await idOf(hamlet, post("watch")));

  for (const to of [
    channel.toUpperCase(),
    JSON.stringify(channel),
    JSON.stringify([channel]),
    String(stream_id),
    `[${stream_id}]`,
  ]) {
    const answer = await hamlet.request("POST", "/messages", { ...post("watch"), to });
    expect(answer, to).toMatchObject({ result: "success" });
  }
});

// spec 4.1: topic; 8: topic length
test("topics are trimmed, truncated and case-insensitive; several spellings mean the empty topic", async () => {
  const { hamlet } = await withChannel();
  const shown = async (topic: string) => (await fetchAs(hamlet, await idOf(hamlet, post(topic)))).subject;

  expect(await shown("  spaced  ")).toBe("spaced");
  expect(await shown("t".repeat(61))).toBe(`${"t".repeat(57)}...`);
  expect(await shown("𐍈".repeat(60))).toBe("𐍈".repeat(60));
  expect(await shown("Spaced")).toBe("spaced");
  for (const empty of ["", "(no topic)", "general chat"]) expect(await shown(empty)).toBe("");
});

// spec 4.1: content; 8: message length
test("a message that is too long is truncated by characters, and says so", async () => {
  const { hamlet } = await withChannel();
  const kept = async (content: string) => (await fetchAs(hamlet, await idOf(hamlet, post("long", content)))).content;

  expect(await kept("𐍈".repeat(10_000))).toBe("𐍈".repeat(10_000));
  const cut = await kept("x".repeat(10_001));
  expect(cut).toHaveLength(10_000);
  expect(cut.endsWith("\n[message truncated]")).toBe(true);
});

// spec 4.1: error STREAM_DOES_NOT_EXIST, error invalid user; 7: STREAM_DOES_NOT_EXIST, BAD_REQUEST
test("a message that cannot be sent is refused with the reason", async () => {
  const { realm, hamlet } = await withChannel();
  const guest = await realm.user("guest", { role: 600 });
  const refusals: [TestUser, Record<string, string>, object][] = [
    [
      hamlet,
      { ...post("t"), to: "nowhere" },
      { msg: "Channel 'nowhere' does not exist", code: "STREAM_DOES_NOT_EXIST", stream: "nowhere" },
    ],
    [hamlet, { ...post("t"), to: "999999999" }, { code: "STREAM_DOES_NOT_EXIST", stream_id: 999_999_999 }],
    [guest, post("t"), { code: "STREAM_DOES_NOT_EXIST" }],
    [hamlet, { ...post("t"), to: "[]" }, { msg: "Expected exactly one channel" }],
    [hamlet, { ...post("t"), content: " \n " }, { msg: "Message must not be empty" }],
    [hamlet, { ...post("t"), content: "nul\0byte" }, { msg: "Message must not contain null bytes" }],
    [hamlet, post("bell\u0007"), { msg: "Invalid character in topic, at position 5!" }],
    [hamlet, { type: "channel", to: channel, content: "x" }, { msg: "Missing topic" }],
    [hamlet, { ...post("t"), type: "letter" }, { code: "BAD_REQUEST" }],
    [hamlet, { type: "direct", to: "[999999999]", content: "x" }, { msg: "Invalid user ID 999999999" }],
    [hamlet, { type: "direct", to: "[]", content: "x" }, { msg: "Message must have recipients" }],
    [hamlet, { type: "direct", to: "nobody@example.com", content: "x" }, { msg: "Invalid email 'nobody@example.com'" }],
    [hamlet, { ...post("t"), read_by_sender: "maybe" }, { code: "BAD_REQUEST" }],
  ];

  for (const [user, form, refusal] of refusals)
    expect(await user.request("POST", "/messages", form), JSON.stringify(form)).toMatchObject({
      result: "error",
      ...refusal,
    });
});

test("a private channel does not exist for anybody who cannot see it, whatever their role", async () => {
  const { realm } = await withChannel({ invite_only: true });
  const outsider = await realm.user("outsider");
  const missing = await outsider.request("POST", "/messages", { ...post("t"), to: "no-such-channel" });

  const hidden = await outsider.request("POST", "/messages", post("t"));

  expect(hidden["code"]).toBe(missing["code"]);
  expect(await realm.admin.request("POST", "/messages", post("t"))).toMatchObject({
    msg: `Not authorized to send to channel '${channel}'`,
  });
});

test("organizations cannot reach each other's channels or people", async () => {
  const { hamlet } = await withChannel();
  const { stream_id } = await fetchAs(hamlet, await idOf(hamlet, post("watch")));
  const stranger = (await newRealm()).admin;

  expect(await stranger.request("POST", "/messages", { ...post("t"), to: String(stream_id) })).toMatchObject({
    code: "STREAM_DOES_NOT_EXIST",
  });
  expect(await stranger.request("POST", "/messages", post("t"))).toMatchObject({ code: "STREAM_DOES_NOT_EXIST" });
  expect(
    await stranger.request("POST", "/messages", { type: "direct", to: `[${hamlet.id}]`, content: "x" }),
  ).toMatchObject({ msg: `Invalid user ID ${hamlet.id}` });
});

test("a deactivated participant closes a conversation for all senders", async () => {
  const realm = await newRealm();
  const gone = await realm.user("gone", { fullName: "Yorick" });
  const note = { type: "direct" as const, to: [gone.id], content: "alas" };
  success(await realm.admin.call(sendMessage, note));

  await realm.ctx.db.updateTable("users").set({ is_active: false }).where("id", "=", gone.id).execute();

  expect(await realm.admin.call(sendMessage, note)).toMatchObject({ msg: "'Yorick' is no longer using Skein." });
});

test("when many users start a channel's first topic concurrently, all succeed, in one topic and with one first message", async () => {
  const { realm, hamlet } = await withChannel();
  const watcher = await hamlet.register(["message", "stream"]);

  const ids = await Promise.all(Array.from({ length: 16 }, () => idOf(hamlet, post("beginning"))));

  const events = [];
  while (events.length < 17) events.push(await watcher.next());
  const heard = events.flatMap((event) => (event.type === "message" ? [event.message.id] : []));
  expect(heard.toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b));
  const first = Math.min(...ids);
  expect(events.filter((event) => event.type === "stream")).toMatchObject([
    { op: "update", property: "first_message_id", value: first },
  ]);
  const { rows } = await sql<{
    topics: number;
  }>`select count(*) as topics from topics where realm_id = ${realm.id}`.execute(realm.ctx.db);
  expect(rows[0]?.topics).toBe(1);
});

test("a user who leaves a channel while others write receives exactly what was sent before", async () => {
  const { realm, hamlet } = await withChannel();
  const writer = await realm.user("writer");
  for (let round = 0; round < 10; round++) {
    const queue = await hamlet.register(["message", "subscription"]);
    const sending = Promise.all(Array.from({ length: 20 }, () => idOf(writer, post("noise"))));
    success(await hamlet.call(unsubscribe, { subscriptions: [channel] }));
    const ids = await sending;
    const mark = success(await writer.call(sendMessage, { type: "direct", to: [hamlet.id], content: "mark" })).id;

    const before: number[] = [];
    let hasLeft = false;
    for (;;) {
      const event = await queue.next();
      if (event.type === "subscription") hasLeft ||= event.op === "remove";
      if (event.type !== "message") continue;
      if (event.message.id === mark) break;
      expect(hasLeft).toBe(false);
      before.push(event.message.id);
    }

    const { rows } = await sql<{ id: number }>`
      select m.id from messages m join subscriptions s on s.channel_id = m.conversation_id and s.user_id = ${hamlet.id}
      where m.id <@ s.received and m.id = any(${ids}::bigint[]) order by m.id`.execute(realm.ctx.db);
    expect(before.toSorted((a, b) => a - b)).toEqual(rows.map((row) => row.id));
    success(await hamlet.call(subscribe, { subscriptions: [{ name: channel }] }));
  }
});

// spec 4.1: read_by_sender
test("messages sent by an interactive client are read by the sender; a script's are not, unless it says so", async () => {
  const { hamlet } = await withChannel();
  const flags = async (form: Record<string, string>) => {
    const sent = await hamlet.request("POST", "/messages", { ...post("watch"), ...form });
    return (await fetchAs(hamlet, Number(sent["id"]))).flags;
  };

  expect(await flags({})).toEqual([]);
  expect(await flags({ read_by_sender: "true" })).toEqual(["read"]);
  expect(await flags({ read_by_sender: "false" })).toEqual([]);
});

test("a send writes as many rows to a channel of 2,000 as to one of ten", async () => {
  const { realm, hamlet } = await withChannel();
  const crowd = await sql<{ id: number }>`
    insert into users (realm_id, delivery_email, full_name)
    select ${realm.id}, 'crowd' || n || '@example.com', 'Crowd ' || n from generate_series(1, 2000) n returning id`.execute(
    realm.ctx.db,
  );
  success(
    await hamlet.call(subscribe, { subscriptions: [{ name: "globe" }], principals: crowd.rows.map((row) => row.id) }),
  );
  const rowsWritten = async (to: string) => {
    await idOf(hamlet, { ...post("counted"), to });
    const id = await idOf(hamlet, { ...post("counted"), to });
    // Rows carry the id of the transaction that wrote them: count those of this message's, wherever they are.
    const { rows } = await sql<{ count: number }>`
      with sent as (select xmin from messages where id = ${id})
      select (select count(*) from messages m, sent where m.xmin = sent.xmin)
        + (select count(*) from message_flags f, sent where f.xmin = sent.xmin)
        + (select count(*) from subscriptions s, sent where s.xmin = sent.xmin)
        + (select count(*) from channels c, sent where c.xmin = sent.xmin)
        + (select count(*) from topics t, sent where t.xmin = sent.xmin)
        + (select count(*) from participations p, sent where p.xmin = sent.xmin) as count`.execute(realm.ctx.db);
    return rows[0]?.count;
  };

  expect(await rowsWritten("globe")).toBe(1);
  expect(await rowsWritten(channel)).toBe(1);
});

/** Returns a function that sets what happens, once, right after a node has verified this user's account. */
function afterVerifying(user: TestUser): (change: () => Promise<unknown>) => void {
  let change: (() => Promise<unknown>) | undefined;
  for (const { ctx } of user.realm.nodes) {
    const verify = ctx.sessions.verify.bind(ctx.sessions);
    const spy = vi.spyOn(ctx.sessions, "verify").mockImplementation(async (account) => {
      await verify(account);
      if (account.id !== user.id) return;
      const now = change;
      change = undefined;
      await now?.();
    });
    onTestFinished(() => spy.mockRestore());
  }
  return (next) => {
    change = next;
  };
}

test("a message is checked again when the account or the organization changes after the check", async () => {
  const { realm, hamlet } = await withChannel();
  const queue = await realm.admin.register(["message"]);
  const rename = async (full_name: string) =>
    success(await realm.admin.call(updateUser, { user_id: hamlet.id, full_name }));
  const describe = async (description: string) => success(await realm.admin.call(updateRealm, { description }));
  const isSent = async (content: string) => {
    success(await hamlet.call(sendMessage, { type: "direct", to: [realm.admin.id], content }));
    expect((await queue.nextOf("message")).message.content).toBe(content);
  };

  const afterwards = afterVerifying(hamlet);

  // A mention makes a message go alone from the start.
  afterwards(() => rename("Hamlet the Dane"));
  await isSent(`@**${realm.admin.fullName}** after a change of the account`);
  afterwards(() => describe("Denmark"));
  await isSent(`@**${realm.admin.fullName}** after a change of the organization`);
  afterwards(() => rename("Hamlet"));
  success(await send(hamlet, post("watch", `@**${realm.admin.fullName}** in a channel`)));
});

test("a channel becomes recently active even if the message that does it has to be checked again", async () => {
  const { realm, hamlet } = await withChannel();
  await idOf(hamlet, post("watch"));
  await realm.ctx.db
    .updateTable("channels")
    .set({ is_recently_active: false })
    .where("realm_id", "=", realm.id)
    .where("name", "=", channel)
    .execute();
  const queue = await hamlet.register(["stream", "message"]);

  afterVerifying(hamlet)(async () =>
    success(await realm.admin.call(updateUser, { user_id: hamlet.id, full_name: "Hamlet the Dane" })),
  );
  const id = await idOf(hamlet, post("watch"));

  const events = [await queue.next(), await queue.next()];
  expect(events).toContainEqual(
    expect.objectContaining({ type: "stream", op: "update", property: "is_recently_active", value: true }),
  );
  expect(events).toContainEqual(
    expect.objectContaining({ type: "message", message: expect.objectContaining({ id }) as object }),
  );
});
