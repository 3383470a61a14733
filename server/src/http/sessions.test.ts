import { expect, test } from "vitest";
import { newRealm } from "../../test/realm.ts";
import { hashKey, Sessions } from "./sessions.ts";

test("a node that has not heard of a new address yet knows the account by it, and no longer by the old one", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const { db } = realm.ctx;
  const sessions = new Sessions(db); // told nothing by any log
  const keyHash = hashKey(hamlet.apiKey);
  await sessions.find({ email: hamlet.email, keyHash });

  const delivery_email = `prince@${realm.host}`;
  await db.updateTable("users").set({ delivery_email }).where("id", "=", hamlet.id).execute();

  expect(await sessions.find({ email: delivery_email, keyHash })).toMatchObject({ id: hamlet.id, delivery_email });
  await expect(sessions.find({ email: hamlet.email, keyHash })).rejects.toThrow("Invalid API key");
});
