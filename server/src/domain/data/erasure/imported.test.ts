import { runImport } from "@skein/api/imports.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { Commands } from "../../../../test/commands.ts";
import { countStaged, importInto } from "../../../../test/imports.ts";
import { at, sourceChannel, sourcePerson, type Export } from "../../../../test/memory-source.ts";
import { lockKinds } from "../../../platform/db/advisory-locks.ts";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";
import { readyImport } from "../../../../test/uploaded-imports.ts";
import type { SourceMessage } from "../imports/source.ts";

const message = (id: string, senderId: string, text: string, more: Partial<SourceMessage> = {}): SourceMessage => ({
  id,
  channelId: "harbour",
  senderId,
  at: at("2024-05-22 14:00") + Number(id.slice(1)) * 1_000_000,
  text: [text],
  threadName: text,
  ...more,
});

const personal = (personId: string, mutedPeople: string[]) => ({
  personId,
  alertWords: [`word of ${personId}`],
  mutedPeople,
  snippets: [{ title: "Snippet", content: `Snippet of ${personId}`, text: [`Snippet of ${personId}`] }],
  settings: {},
});

const given: Export = {
  name: "zulip",
  people: [sourcePerson("ines", { name: "Ines Calder" }), sourcePerson("tomasz", { name: "Tomasz Wren" })],
  channels: [sourceChannel("harbour", ["ines", "tomasz"])],
  directs: [{ id: "D1", members: ["ines", "tomasz"] }],
  messages: [
    message("m1", "ines", "Root by ines", { threadId: "m1" }),
    message("m2", "tomasz", "A reply", { threadId: "m1" }),
    {
      ...message("m3", "ines", "", { threadId: "m1" }),
      text: ["File by ines ", { kind: "file", file: { entry: "own.txt", name: "own.txt" } }],
    },
    message("m4", "tomasz", "Direct", { channelId: undefined as never, directId: "D1" }),
    message("m5", "ines", "Direct by ines", { channelId: undefined as never, directId: "D1" }),
  ],
  files: { "own.txt": Buffer.from("of ines") },
  personal: [personal("ines", []), personal("tomasz", ["ines"])],
};

/** A newer export, in which both have written more. */
const newer: Export = {
  ...given,
  messages: [
    ...(given.messages ?? []),
    message("m6", "ines", "New root by ines", { threadId: "m6" }),
    {
      ...message("m7", "tomasz", "", { threadId: "m6" }),
      text: ["New reply to ", { kind: "person", id: "ines" }],
      reactions: [{ emojiName: "heart", people: ["ines", "tomasz"] }],
      starredBy: ["ines"],
    },
    message("m8", "tomasz", "New direct", { channelId: undefined as never, directId: "D1" }),
  ],
};

const shortNameOf = ({ host }: TestRealm): string => host.split(".")[0] ?? "";

const erase = (realm: TestRealm, email: string, ...more: string[]) =>
  new Commands(realm.ctx).json("user", "erase", email, "--realm", shortNameOf(realm), "--confirm", email, ...more);

const listTexts = async ({ ctx, id }: TestRealm): Promise<string[]> => {
  const { rows } = await sql<{ line: string }>`
    select concat_ws(' | ', m.conversation_id, u.full_name, m.content) as line
    from messages m join users u on u.id = m.sender_id where m.realm_id = ${id} and not u.is_system_bot order by m.id`.execute(
    ctx.db,
  );
  return rows.map(({ line }) => line);
};

test.for(["with", "without"])("an erased person does not come back with another import (%s messages)", async (kept) => {
  const realm = await newRealm();
  const { db } = realm.ctx;
  await importInto(realm, given);

  const { user_id } = await erase(realm, "ines@lantern.example", ...(kept === "with" ? [] : ["--delete-messages"]));

  const { rows: map } = await sql<{ kind: string; source_id: string }>`
    select kind, source_id from import_map where realm_id = ${realm.id}`.execute(db);
  expect(
    map.filter(
      ({ kind, source_id }) => !["erased", "thread"].includes(kind) && /ines|own\.txt|^m[135]$/.test(source_id),
    ),
  ).toEqual([]);
  expect(map.filter(({ kind }) => kind === "erased")).toHaveLength(1);
  const before = await listTexts(realm);
  expect(before.filter((line) => line.includes("ines"))).toHaveLength(kept === "with" ? 3 : 0);

  const again = await importInto(realm, given, { fingerprint: "again" });
  expect(Object.values(again.imported).every((count) => count === 0)).toBe(true);
  expect(await listTexts(realm)).toEqual(before);

  const report = await importInto(realm, newer, { fingerprint: "newer" });
  expect(report.imported).toMatchObject({ messages: 2, users: 0, stub_users: 0, reactions: 1, files: 0, settings: 0 });
  const added = (await listTexts(realm)).slice(before.length);
  const direct = before.find((line) => line.endsWith("Direct"))?.split(" | ")[0];
  expect(added).toEqual([
    expect.stringMatching(new RegExp(`\\| Tomasz Wren \\| New reply to @_\\*\\*Deleted user ${String(user_id)}\\|`)),
    `${direct} | Tomasz Wren | New direct`,
  ]);
  const { rows: left } = await sql<{ what: string }>`
    select 'account ' || full_name as what from users where realm_id = ${realm.id} and full_name like 'Ines%'
    union all select 'topic ' || name from topics where realm_id = ${realm.id} and name like 'New root%'
    union all select 'snippet' from saved_snippets where user_id = ${user_id}
    union all select 'flag' from message_flags where user_id = ${user_id}
    union all select 'subscription' from subscriptions where user_id = ${user_id}`.execute(db);
  expect(left).toEqual([]);
});

test("erasing somebody ends an interrupted import, but is refused while one runs", async () => {
  const realm = await newRealm();
  let isStoring = false;
  const interrupted = importInto(realm, given, {
    onProgress: ({ phase }) => (isStoring ||= phase === "messages"),
    onBatch: () => {
      if (isStoring) throw new Error("interrupted");
    },
  });
  await expect(interrupted).rejects.toThrow("interrupted");
  await realm.ctx.db.connection().execute(async (running) => {
    await sql`select pg_advisory_lock(${sql.lit(lockKinds.imports)}, ${realm.id}::integer)`.execute(running);
    await expect(erase(realm, "ines@lantern.example")).rejects.toThrow("The import is running.");
    await sql`select pg_advisory_unlock(${sql.lit(lockKinds.imports)}, ${realm.id}::integer)`.execute(running);
  });
  expect(await countStaged(realm)).toBeGreaterThan(0);

  await erase(realm, "ines@lantern.example");
  expect(await countStaged(realm)).toBe(0);
  await importInto(realm, given);

  expect((await listTexts(realm)).filter((line) => line.includes("ines"))).toEqual([]);
});

test("uploaded exports with an erased person are removed, and another one leaves them out", async () => {
  const realm = await newRealm();
  const { admin, ctx } = realm;
  const person = await realm.user("ines");
  await ctx.db
    .updateTable("users")
    .set({ delivery_email: "u1@lighthouse.example" })
    .where("id", "=", person.id)
    .execute();
  const queue = await admin.register(["realm_import"]);
  const { id } = await readyImport(admin, queue);

  await erase(realm, "u1@lighthouse.example");

  const row = await ctx.db.selectFrom("realm_imports").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  expect(row).toMatchObject({ state: "canceled" });
  for (const table of ["realm_import_parts", "realm_import_people"] as const)
    expect(await ctx.db.selectFrom(table).selectAll().where("import_id", "=", id).execute()).toEqual([]);
  expect(await admin.call(runImport, { import_id: id })).toMatchObject({ msg: "This import has ended." });
  success(await admin.call(runImport, { import_id: (await readyImport(admin, queue)).id }));
  await expect
    .poll(async () => (await listTexts(realm)).map((line) => line.split(" | ").slice(1).join(": ")))
    .toEqual(["Tomasz Wren: Then light the lamp", "Tomasz Wren: Lunch?"]);
});
