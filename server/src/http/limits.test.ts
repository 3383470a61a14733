/** What a request may hold, whoever sends it: more is refused before it costs anything. */
import { createDrafts } from "@skein/api/drafts.ts";
import { expect, test } from "vitest";
import { nodes } from "../../test/nodes.ts";
import { newRealm, success } from "../../test/realm.ts";
import { channelOf } from "../../test/talk.ts";
import { toUser } from "../events/audience.ts";
import { emit } from "../events/emit.ts";
import { transaction } from "../platform/db/transaction.ts";

const mebibyte = 1024 ** 2;

test.each([
  ["multipart", 20, 30, new FormData()],
  ["urlencoded", 8, 12, new URLSearchParams()],
] as const)("a %s body has its most, before anybody is asked who they are", async (_kind, most, more, body) => {
  const [{ url }] = await nodes();
  const send = () => fetch(`${url}/api/v1/fetch_api_key`, { method: "POST", body });
  for (let n = 0; n < most; n++) body.set(`field${n}`, "x".repeat(mebibyte));
  expect((await send()).status).toBe(400); // of what it holds nothing is a parameter
  for (let n = most; n < more; n++) body.set(`field${n}`, "x".repeat(mebibyte));
  const refused = await send();
  expect(refused.status).toBe(413);
  expect(await refused.json()).toMatchObject({ result: "error", msg: "Request body is too large" });
});

test("names for the sender's own use, recipients and terms of a queue have their most", async () => {
  const { admin } = await newRealm();
  const channel = await channelOf([admin], "court");
  const told = async (path: string, form: Record<string, string>) => (await admin.request("POST", path, form))["msg"];
  const message = { type: "channel", to: String(channel.id), topic: "x", content: "x" };

  const long = "x".repeat(101);
  expect(await told("/messages", { ...message, queue_id: "q", local_id: long })).toBe(
    "local_id is too long (limit: 100 characters)",
  );
  expect(await told("/messages", { ...message, queue_id: long, local_id: "1" })).toBe(
    "queue_id is too long (limit: 100 characters)",
  );
  const crowd = JSON.stringify(Array.from({ length: 1001 }, (_, n) => n + 1));
  expect(await told("/messages", { type: "direct", to: crowd, content: "x" })).toBe(
    "A message can have at most 1000 recipients.",
  );
  const narrow = JSON.stringify(Array.from({ length: 101 }, () => ["is", "unread"]));
  expect(await told("/register", { narrow })).toContain("narrow");
});

test("as many of the longest drafts as one may save at once are all told of", async () => {
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

test("a change whose event the log could not carry does not take place", async () => {
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
  await expect(change).rejects.toThrow("This is too much for one change");
  const user = await ctx.db.selectFrom("users").select("full_name").where("id", "=", admin.id).executeTakeFirst();
  expect(user?.full_name).not.toBe("Large");
});
