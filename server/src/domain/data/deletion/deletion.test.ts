import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { createBot } from "@skein/api/bots.ts";
import { createDrafts } from "@skein/api/drafts.ts";
import { addAlertWords } from "@skein/api/alert-words.ts";
import { createExport } from "@skein/api/exports.ts";
import { addReaction } from "@skein/api/reactions.ts";
import { createScheduledMessage } from "@skein/api/scheduled-messages.ts";
import { createUserGroup } from "@skein/api/user-groups.ts";
import { getOwnUser } from "@skein/api/users.ts";
import { sql } from "kysely";
import sharp from "sharp";
import { expect, inject, test } from "vitest";
import { channelOf, sendDirect, sendToChannel } from "../../../../test/actions.ts";
import { Commands } from "../../../../test/commands.ts";
import { fetchAs, uploadAs } from "../../../../test/files.ts";
import { doJobs, startOwnServer, type OwnServer } from "../../../../test/own-server.ts";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";
import type { Context } from "../../../context.ts";
import { removeStored } from "../../messages/uploads/jobs.ts";
import { makeExport } from "../exports/jobs.ts";
import { deleteRealm } from "./jobs.ts";
import { sorted, tablesInOrder } from "./tables.ts";

const picture = () =>
  sharp({ create: { width: 20, height: 20, channels: 3, background: "#484" } })
    .png()
    .toBuffer();

/** An organization in which people have used what there is. */
async function livelyRealm(server: OwnServer): Promise<TestRealm> {
  const realm = await newRealm([server]);
  const { admin } = realm;
  const hamlet = await realm.user("hamlet");
  const channel = await channelOf([admin, hamlet], "court");
  const note = await uploadAs(hamlet);
  const id = await sendToChannel(hamlet, channel, { content: `[note](${note}) @**all**` });
  await sendDirect(hamlet, [admin]);
  success(await admin.call(addReaction, { message_id: id, emoji_name: "tada" }));
  success(await admin.call(addAlertWords, { alert_words: ["poison"] }));
  success(await hamlet.call(createDrafts, { drafts: [{ type: "", to: [], topic: "", content: "to be" }] }));
  const later = Math.floor(Date.now() / 1000) + 3600;
  const scheduled = { to: [admin.id], content: "later", scheduled_delivery_timestamp: later };
  success(await hamlet.call(createScheduledMessage, { type: "direct", ...scheduled }));
  success(await hamlet.call(createBot, { full_name: "Yorick", short_name: "yorick" }));
  success(await hamlet.call(createUserGroup, { name: "players", description: "", members: [hamlet.id] }));
  await hamlet.upload("/users/me/avatar", { "face.png": await picture() });
  await admin.upload("/realm/icon", { "icon.png": await picture() });
  await admin.upload("/realm/emoji/skull", { "skull.png": await picture() });
  success(await admin.call(createExport, {}));
  await doJobs(server, makeExport);
  return realm;
}

/** How many rows of the organization each table has, if any. */
async function rowsOf({ db }: Context, id: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of [...(await tablesInOrder(db)), "user_groups"]) {
    const { rows } = await sql<{ count: number }>`
      select count(*) from ${sql.table(table)} where realm_id = ${id}`.execute(db);
    if (rows[0]?.count) counts[table] = rows[0].count;
  }
  return counts;
}

const filesIn = async ({ config }: Context): Promise<string[]> =>
  (await readdir(config.filesDir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(config.filesDir.length + 1))
    .filter((name) => !name.startsWith("web"))
    .toSorted();

/** A database that is lost after so many transactions, as for a worker that is killed. */
function lostAfter(db: Context["db"], transactions: number): Context["db"] {
  let left = transactions;
  return new Proxy(db, {
    get(target, name) {
      if (name === "transaction" && left-- <= 0) throw new Error("killed");
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

test("deleting an organization leaves no row and no file of it, even if workers are killed, and others keep theirs", async () => {
  const server = await startOwnServer({ SKEIN_FILES_DIR: join(inject("scratchFolder"), "deletion") });
  const { ctx } = server;
  const other = await livelyRealm(server);
  const kept = await filesIn(ctx);
  const realm = await livelyRealm(server);
  const skein = new Commands(ctx);
  const rowsOfOther = await rowsOf(ctx, other.id);
  const { name, string_id } = await ctx.db
    .selectFrom("realms")
    .selectAll()
    .where("id", "=", realm.id)
    .executeTakeFirstOrThrow();
  const here = ["--realm", string_id];
  expect(Object.keys(await rowsOf(ctx, realm.id)).length).toBeGreaterThan(20);

  await expect(skein.text("realm", "delete", ...here, "--confirm", "Norway")).rejects.toThrow(`--confirm "${name}"`);
  expect(await skein.json("realm", "delete", ...here, "--confirm", name)).toMatchObject({ finished: false });
  expect(await realm.admin.call(getOwnUser, {})).toMatchObject({ code: "UNAUTHORIZED" });
  await expect(skein.text("realm", "reactivate", ...here)).rejects.toThrow("is being deleted");
  for (let transactions = 3; ; transactions *= 3) {
    const killed = deleteRealm.run({ ...ctx, db: lostAfter(ctx.db, transactions) }, { id: realm.id }, once);
    if ((await killed.then(() => "done", String)) === "done") break;
    expect(await skein.text("realm", "list")).toContain("being deleted, ");
  }
  await doJobs(server, deleteRealm);
  await doJobs(server, removeStored);

  expect(await rowsOf(ctx, realm.id)).toEqual({});
  expect(await skein.text("realm", "list")).not.toContain(string_id);
  expect(await filesIn(ctx)).toEqual(kept);
  expect(await rowsOf(ctx, other.id)).toEqual(rowsOfOther);
  success(await other.admin.call(getOwnUser, {}));
  expect((await fetchAs(realm, "/api/v1/server_settings")).status).toBe(404);
});

const once = { attempt: 1, maxAttempts: 1 };

test("a table comes before those it refers to, and a circle is reported", () => {
  const references = [
    { from: "messages", to: "users" },
    { from: "reactions", to: "messages" },
    { from: "reactions", to: "elsewhere" },
  ];

  expect(sorted(["users", "messages", "reactions"], references)).toEqual(["reactions", "messages", "users"]);
  expect(() => sorted(["users", "messages"], [...references, { from: "users", to: "messages" }])).toThrow("each other");
});
