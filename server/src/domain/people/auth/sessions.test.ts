import { expect, test, vi } from "vitest";
import { newRealm } from "../../../../test/realm.ts";
import { startBrowserSession } from "./browser-sessions.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { hashSecret, Sessions } from "../../../identity/sessions.ts";

test("a node that has not received the event yet accepts an account's new address and not the old one", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const { db } = realm.ctx;
  const sessions = new Sessions(db); // receives no log entries
  const keyHash = hashSecret(hamlet.apiKey);
  await sessions.find({ email: hamlet.email, keyHash });

  const delivery_email = `prince@${realm.host}`;
  await db.updateTable("users").set({ delivery_email }).where("id", "=", hamlet.id).execute();

  expect(await sessions.find({ email: delivery_email, keyHash })).toMatchObject({ id: hamlet.id, delivery_email });
  await expect(sessions.find({ email: hamlet.email, keyHash })).rejects.toThrow("Invalid API key");
});

test("a session cookie is not cached beyond its expiry", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const { config, db } = realm.ctx;
  const sessions = new Sessions(db); // receives no log entries
  const account = { id: hamlet.id, realm_id: realm.id };
  const { token } = await transaction(db, "test", (tx) =>
    startBrowserSession(tx, config, account, { ip: "127.0.0.1", userAgent: "test" }),
  );
  const credentials = { tokenHash: hashSecret(token) };
  const expireIn = (minutes: number) =>
    db
      .updateTable("browser_sessions")
      .set({ expires_at: new Date(Date.now() + minutes * 60_000) })
      .where("user_id", "=", hamlet.id)
      .execute();
  await expireIn(10);
  await sessions.find(credentials);
  await expireIn(-1);

  expect(await sessions.find(credentials)).toMatchObject({ id: hamlet.id }); // from the cache
  vi.setSystemTime(Date.now() + 11 * 60_000);
  await expect(sessions.find(credentials)).rejects.toThrow("Not logged in");
  vi.useRealTimers();
});
