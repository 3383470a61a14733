/** The first organization of a development server, and its owner. */
import { randomBytes } from "node:crypto";
import { greetLater } from "../domain/joining/accounts/jobs.ts";
import { createRealm } from "../domain/organization/realm/create.ts";
import { createApiKey } from "../domain/people/auth/api-keys.ts";
import { hashPassword } from "../domain/people/auth/passwords.ts";
import { settingsForNewUser } from "../domain/people/settings/state.ts";
import { enqueue } from "../jobs/job.ts";
import type { Db } from "../platform/db/connect.ts";
import { transaction } from "../platform/db/transaction.ts";

export interface Owner {
  email: string;
  password: string;
  api_key: string;
}

export async function makeOwner(db: Db): Promise<Owner> {
  const password = randomBytes(12).toString("base64url");
  const passwordHash = await hashPassword(password);
  const email = "owner@example.com";
  return transaction(db, "make the organization", async (tx) => {
    const realm = await createRealm(tx, { string_id: "", name: "Skein development" });
    const { id } = await tx
      .insertInto("users")
      .values({
        realm_id: realm.id,
        delivery_email: email,
        full_name: "Olive Owner",
        role: 100,
        password_hash: passwordHash,
        settings: JSON.stringify(settingsForNewUser(realm).settings),
        can_create_users: true,
        can_change_user_emails: true,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    await enqueue(tx, greetLater, { userId: id });
    return { email, password, api_key: await createApiKey(tx, { id, realm_id: realm.id }, "skein dev") };
  });
}
