/** Limits on the size of requests: a larger one is rejected before it causes any work. */
import { createDrafts } from "@skein/api/drafts.ts";
import { expect, test } from "vitest";
import { nodes } from "../../test/nodes.ts";
import { newRealm, success } from "../../test/realm.ts";
import { channelOf } from "../../test/actions.ts";
import { toUser } from "../events/audience.ts";
import { emit } from "../events/emit.ts";
import { transaction } from "../platform/db/transaction.ts";

const mebibyte = 1024 ** 2;

test.each([
  ["multipart", 20, 30, new FormData()],
  ["urlencoded", 8, 12, new URLSearchParams()],
] as const)("the size of a signed-in user's %s body is limited", async (_kind, allowed, tooMany, body) => {
  const { admin, host } = await newRealm();
  const [{ url }] = await nodes();
  const authorization = `Basic ${btoa(`${admin.email}:${admin.apiKey}`)}`;
  const headers = { authorization, "x-forwarded-host": host };
  const send = () => fetch(`${url}/api/v1/messages`, { method: "POST", headers, body });
  for (let n = 0; n < allowed; n++) body.set(`field${n}`, "x".repeat(mebibyte));
  expect((await send()).status).toBe(400); // it has none of the required parameters
  for (let n = allowed; n < tooMany; n++) body.set(`field${n}`, "x".repeat(mebibyte));
  const refused = await send();
  expect(refused.status).toBe(413);
  expect(await refused.json()).toMatchObject({ result: "error", msg: "Request body is too large" });
});

test("the lengths of local ids, recipient lists and narrows are limited", async () => {
  const { admin } = await newRealm();
  const channel = await channelOf([admin], "court");
  const errorOf = async (path: string, form: Record<string, string>) =>
    (await admin.request("POST", path, form))["msg"];
  const message = { type: "channel", to: String(channel.id), topic: "x", content: "x" };

  const long = "x".repeat(101);
  expect(await errorOf("/messages", { ...message, queue_id: "q", local_id: long })).toBe(
    "local_id is too long (limit: 100 characters)",
  );
  expect(await errorOf("/messages", { ...message, queue_id: long, local_id: "1" })).toBe(
    "queue_id is too long (limit: 100 characters)",
  );
  const crowd = JSON.stringify(Array.from({ length: 1001 }, (_, n) => n + 1));
  expect(await errorOf("/messages", { type: "direct", to: crowd, content: "x" })).toBe(
    "A message can have at most 1000 recipients.",
  );
  const narrow = JSON.stringify(Array.from({ length: 101 }, () => ["is", "unread"]));
  expect(await errorOf("/register", { narrow })).toContain("narrow");
});

test("events cover all drafts of the largest request that creates drafts", async () => {
  const { admin } = await newRealm();
  const queue = await admin.register(["drafts"]);
  const content = "\u{1F600}".repeat(10_000);
  const drafts = Array.from({ length: 60 }, () => ({ type: "" as const, to: [], topic: "", content }));

  const { ids } = success(await admin.call(createDrafts, { drafts }));

  const told: unknown[] = [];
  while (told.length < ids.length) {
    const event = (await queue.next()) as { drafts: { id: number }[] };
    told.push(...event.drafts.map(({ id }) => id));
  }
  expect(told).toEqual(ids);
});

test("a change with an event that is too large for the log is rolled back", async () => {
  const { ctx, admin, id } = await newRealm();
  const change = transaction(ctx.db, "a large change", async (tx) => {
    await tx.updateTable("users").set({ full_name: "Large" }).where("id", "=", admin.id).execute();
    emit(tx, id, toUser(admin.id), {
      type: "restart",
      zulip_version: "x".repeat(5 * mebibyte),
      zulip_merge_base: "",
      zulip_feature_level: 1,
      server_generation: 1,
    });
  });
  await expect(change).rejects.toThrow("This change is too large.");
  const user = await ctx.db.selectFrom("users").select("full_name").where("id", "=", admin.id).executeTakeFirst();
  expect(user?.full_name).not.toBe("Large");
});
