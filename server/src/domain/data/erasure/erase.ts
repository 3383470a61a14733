/**
 * Erases a person: everything that tells who they are, and everything only they could see. What stays is an account without
 * a name, so that the conversations of others still make sense. Their messages stay as well, unless they are purged
 * (../purge). Names that others wrote, such as in mentions, stay in those messages.
 */
import { sql } from "kysely";
import type { Config } from "../../../config.ts";
import { emit } from "../../../events/emit.ts";
import type { Realm } from "../../../identity/account.ts";
import { enqueue } from "../../../jobs/job.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { deactivateUser } from "../../administration/users/activation.ts";
import { removeAttachments } from "../../messages/uploads/remove.ts";
import { removeStored } from "../../messages/uploads/jobs.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { setAvatar } from "../../people/avatars/actions.ts";
import { avatarKeys } from "../../people/avatars/file.ts";
import { forgetImported } from "../imports/forget.ts";
import { clearProfile } from "../../people/profile-fields/values.ts";
import { lockAccount, type LockedAccount } from "../../people/users/access.ts";
import { changeEmail } from "../../people/users/addresses.ts";
import { toUsersSeeing } from "../../people/users/audience.ts";
import { apiEmail } from "../../people/users/email.ts";
import { changeFullName } from "../../people/users/rename.ts";

const erasedName = (id: number): string => `Deleted user ${id}`;
/** `.invalid` is a domain that never receives mail. */
const erasedEmail = (id: number): string => `deleted-user-${id}@skein.invalid`;

/** By the operator. There is no way back. */
export async function eraseUser(tx: Tx, config: Config, realm: Realm, id: number): Promise<void> {
  const account = await lockAccount(tx, realm, id);
  // Events first: while the account is active, everyone who knows it is notified.
  await changeFullName(tx, realm, account, erasedName(id));
  await changeEmail(tx, realm, account, erasedEmail(id));
  const { replaced } = await setAvatar(tx, account, null);
  if (replaced !== null) await enqueue(tx, removeStored, { keys: avatarKeys(replaced) });
  await clearProfile(tx, account);
  await clearStatus(tx, account);
  await clearTimeZone(tx, realm, account, realmHost(config, realm));
  await deactivateUser(tx, realm, id);
  await tx
    .updateTable("users")
    .set({
      password_hash: null,
      settings: "{}",
      chosen_settings: [],
      can_create_users: false,
      can_change_user_emails: false,
    })
    .where("id", "=", id)
    .execute();
  await forgetImported(tx, account);
  await removeOwnRows(tx, account);
  await removeRecords(tx, account);
  if (!account.is_bot) await hideFromDirectory(tx, account);
  await removeAttachments(
    tx,
    realm.id,
    sql`a.owner_id = ${id} and not exists (select from attachment_messages am where am.attachment_id = a.id)`,
  );
}

async function clearStatus(tx: Tx, { id, realm_id, is_bot }: LockedAccount): Promise<void> {
  const { numDeletedRows } = await tx.deleteFrom("user_statuses").where("user_id", "=", id).executeTakeFirst();
  if (numDeletedRows === 0n) return;
  const none = { status_text: "", emoji_name: "", emoji_code: "", reaction_type: "unicode_emoji" };
  const audience = await toUsersSeeing(tx, { id: realm_id }, { id, is_bot });
  emit(tx, realm_id, audience, { type: "user_status", user_id: id, ...none });
}

async function clearTimeZone(tx: Tx, realm: Realm, account: LockedAccount, host: string): Promise<void> {
  if (account.timezone === "") return;
  await tx.updateTable("users").set({ timezone: "" }).where("id", "=", account.id).execute();
  const email = apiEmail({ ...account, delivery_email: erasedEmail(account.id) }, host);
  const person = { user_id: account.id, email, timezone: "" };
  emit(tx, realm.id, await toUsersSeeing(tx, realm, account), { type: "realm_user", op: "update", person });
}

/**
 * What the account alone could see. Nobody needs events: its sessions have ended, and to others a deactivated account is in
 * no group and no channel anyway.
 */
const ownTables = [
  "alert_words",
  "bot_storage",
  "drafts",
  "event_queues",
  "external_identities",
  "finished_onboarding_steps",
  "message_flags",
  "missed_message_batches",
  "missed_messages",
  "muted_users",
  "navigation_views",
  "notification_revisits",
  "passkeys",
  "presences",
  "push_devices",
  "recovery_codes",
  "reminders",
  "saved_snippets",
  "subscriptions",
  "totp_secrets",
  "user_group_members",
  "user_topics",
] as const;

async function removeOwnRows(tx: Tx, { id }: LockedAccount): Promise<void> {
  for (const table of ownTables) await tx.deleteFrom(table).where("user_id", "=", id).execute();
  await tx.deleteFrom("scheduled_messages").where("sender_id", "=", id).execute();
  // The hourly clean-up removes their parts.
  await sql`update resumable_uploads set expires_at = now() where owner_id = ${id}`.execute(tx);
  // Who took part in a conversation is known to the others; what this account read is not.
  await sql`update participations set read = '{}' where user_id = ${id}`.execute(tx);
}

/** Where else the e-mail address is stored. */
async function removeRecords(tx: Tx, { id, realm_id, delivery_email }: LockedAccount): Promise<void> {
  const email = delivery_email.toLowerCase();
  await sql`delete from login_failures where realm_id = ${realm_id} and lower(username) = ${email}`.execute(tx);
  await sql`delete from invitations where realm_id = ${realm_id} and lower(email) = ${email}`.execute(tx);
  await sql`delete from confirmations where realm_id = ${realm_id}
    and (data @> jsonb_build_object('user_id', ${id}::bigint) or position(${email} in lower(data::text)) > 0)`.execute(
    tx,
  );
}

/** The organization's directory does not see the account any more, and what it has said about it is gone. */
async function hideFromDirectory(tx: Tx, { id, realm_id }: LockedAccount): Promise<void> {
  await sql`
    insert into scim_users (user_id, realm_id, attributes, modified_at, deleted_at) values (${id}, ${realm_id}, '{}', now(), now())
    on conflict (user_id) do update set user_name = null, external_id = null, attributes = '{}', modified_at = now(),
      deleted_at = now()`.execute(tx);
}

/** Removes the copies of deleted messages that this account sent. */
export async function removeCopies(tx: Tx, realm: Realm, id: number): Promise<void> {
  await sql`delete from deleted_messages
    where realm_id = ${realm.id} and (message->>'sender_id')::bigint = ${id}`.execute(tx);
}
