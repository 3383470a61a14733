import { expect, test } from "vitest";
import { z } from "zod";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import { newRealm, type TestRealm } from "../../../test/realm.ts";
import {
  countRecentConfirmations,
  createConfirmation,
  peekConfirmation,
  purpose,
  revokeConfirmations,
  consumeConfirmation,
} from "./confirmations.ts";

const openDoor = purpose({ name: "test: open a door", data: z.strictObject({ door: z.string() }) });
const closeDoor = purpose({ name: "test: close a door", data: z.strictObject({ door: z.string() }) });

const within = <T>(realm: TestRealm, work: (tx: Tx) => Promise<T>) => transaction(realm.ctx.db, "test", work);
const newLink = (realm: TestRealm, door: string, expiresAt: Date | null = null) =>
  within(realm, (tx) => createConfirmation(tx, openDoor, { realm, data: { door }, expiresAt }));

test("a token returns the data stored with it, and is not itself in the database", async () => {
  const realm = await newRealm();
  const token = await newLink(realm, "blue");

  expect(await peekConfirmation(realm.ctx.db, openDoor, realm, token)).toMatchObject({
    state: "open",
    data: { door: "blue" },
  });
  const rows = await realm.ctx.db.selectFrom("confirmations").selectAll().where("realm_id", "=", realm.id).execute();
  expect(JSON.stringify(rows)).not.toContain(token);
});

test("of many concurrent uses of a token one succeeds, and the others find it used", async () => {
  const realm = await newRealm();
  const token = await newLink(realm, "blue");

  const taken = await Promise.all(
    Array.from({ length: 8 }, () => within(realm, (tx) => consumeConfirmation(tx, openDoor, realm, token))),
  );

  expect(taken.map(({ state }) => state).toSorted()).toEqual(["open", ...Array.from({ length: 7 }, () => "used")]);
  expect(await peekConfirmation(realm.ctx.db, openDoor, realm, token)).toEqual({ state: "used" });
});

test("an expired token does nothing", async () => {
  const realm = await newRealm();
  const token = await newLink(realm, "blue", new Date(Date.now() - 1000));

  expect(await within(realm, (tx) => consumeConfirmation(tx, openDoor, realm, token))).toEqual({ state: "expired" });
});

test("tokens are revoked by their data", async () => {
  const realm = await newRealm();
  const blue = await newLink(realm, "blue");
  const red = await newLink(realm, "red");

  await within(realm, (tx) => revokeConfirmations(tx, openDoor, realm, { door: "blue" }));

  expect(await peekConfirmation(realm.ctx.db, openDoor, realm, blue)).toEqual({ state: "revoked" });
  expect(await peekConfirmation(realm.ctx.db, openDoor, realm, red)).toMatchObject({ state: "open" });
});

test("a token is valid only for its own purpose in its own organization", async () => {
  const [realm, other] = [await newRealm(), await newRealm()];
  const token = await newLink(realm, "blue");

  expect(await peekConfirmation(realm.ctx.db, closeDoor, realm, token)).toEqual({ state: "unknown" });
  expect(await peekConfirmation(realm.ctx.db, openDoor, other, token)).toEqual({ state: "unknown" });
  expect(await peekConfirmation(realm.ctx.db, openDoor, realm, `${token}x`)).toEqual({ state: "unknown" });
});

test("recent confirmations are counted, all of them or those with matching data", async () => {
  const realm = await newRealm();
  await newLink(realm, "blue");
  await newLink(realm, "red");
  await realm.ctx.db
    .updateTable("confirmations")
    .set({ created_at: new Date(Date.now() - 7200_000) })
    .where("realm_id", "=", realm.id)
    .execute();
  await newLink(realm, "blue");
  await newLink(realm, "red");

  const count = (data?: { door: string }) =>
    countRecentConfirmations(realm.ctx.db, openDoor, realm, { seconds: 3600, ...(data ? { data } : {}) });

  expect(await count()).toBe(2);
  expect(await count({ door: "blue" })).toBe(1);
});
