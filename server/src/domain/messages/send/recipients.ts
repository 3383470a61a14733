/** Resolves the recipients of a message: from the `to` parameter to a channel or a set of people. */
import { createHash } from "node:crypto";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import { maxRecipients, type sendMessage } from "@skein/api/messages.ts";
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import type { ChannelTarget } from "../../channels/access.ts";
import { canSeeAddress, placeholderUserId, type Addressed } from "../../people/users/email.ts";
import { visibilityFor, usersVisibleToGuests } from "../../people/users/guest-view.ts";
import { emitVisibilityChanges } from "../../people/users/visibility-changes.ts";

type To = NonNullable<ParamsOf<typeof sendMessage>["to"]>;

export function readChannel(to: To): ChannelTarget {
  const items = [to].flat();
  const [only] = items;
  if (items.length !== 1 || only === undefined) throw new ApiError("Expected exactly one channel");
  if (typeof only === "number") return { id: only };
  const name = only.trim();
  if (name === "") throw new ApiError("Channel name can't be empty");
  return { name };
}

/** The given user ids or e-mail addresses, not looked up yet. */
export function readPeople(to: To): { ids: number[] } | { emails: string[] } {
  const items = typeof to === "string" ? to.split(",").map((item) => item.trim()) : [to].flat();
  const ids = items.filter((item) => typeof item === "number");
  const emails = items.filter((item) => typeof item === "string").filter((item) => item !== "");
  if (ids.length > 0 && emails.length > 0)
    throw new ApiError("Recipient lists may contain emails or user IDs, but not both.");
  if (ids.length === 0 && emails.length === 0) throw new ApiError("Message must have recipients");
  if (items.length > maxRecipients) throw new ApiError(`A message can have at most ${maxRecipients} recipients.`);
  return ids.length > 0 ? { ids } : { emails };
}

/** The same people always have the same conversation, regardless of the sender and the order of the ids. */
export function directKey(partyIds: number[]): string {
  const key = partyIds.join(",");
  return key.length <= 200 ? key : `sha256:${createHash("sha256").update(key).digest("hex")}`;
}

export interface DirectConversation {
  id: number;
  key: string;
}

const maxCached = 100_000;

/**
 * The conversation between the sender and these people. Its id never changes, so each node looks it up once. A database
 * restored to an earlier state may give the id to other people, so every use of the id checks the key as well.
 */
export async function directConversation(
  { db, memory: { directConversations: known } }: Context,
  sender: User,
  people: number[],
): Promise<DirectConversation> {
  const partyIds = [...new Set([...people, sender.id])].toSorted((a, b) => a - b);
  const key = directKey(partyIds);
  const memoryKey = memoryKeyOf(sender, key);
  const id = known.get(memoryKey) ?? (await findOrCreate(db, sender, key, partyIds));
  if (known.size >= maxCached) known.clear();
  known.set(memoryKey, id);
  return { id, key };
}

/** For an id that turns out to be another conversation's, or nobody's. */
export function forgetDirectConversation({ memory }: Context, sender: User, { key }: DirectConversation): void {
  memory.directConversations.delete(memoryKeyOf(sender, key));
}

const memoryKeyOf = ({ realm_id }: User, key: string): string => `${realm_id}:${key}`;

/** The same inside a transaction. */
export async function directConversationWithin(tx: Tx, sender: User, people: number[]): Promise<DirectConversation> {
  const partyIds = [...new Set([...people, sender.id])].toSorted((a, b) => a - b);
  await refuseHiddenRecipients(tx, sender, partyIds);
  const key = directKey(partyIds);
  return { id: await findOrCreateWithin(tx, sender.realm_id, key, partyIds), key };
}

async function findOrCreate(db: Db, sender: User, key: string, partyIds: number[]): Promise<number> {
  await refuseHiddenRecipients(db, sender, partyIds);
  return transaction(db, "find direct conversation", (tx) => findOrCreateWithin(tx, sender.realm_id, key, partyIds));
}

async function findOrCreateWithin(tx: Tx, realmId: number, key: string, partyIds: number[]): Promise<number> {
  const created = await tx
    .insertInto("conversations")
    .values({ realm_id: realmId, direct_key: key, is_group: partyIds.length > 2 })
    .onConflict((conflict) =>
      conflict.columns(["realm_id", "direct_key"]).where("direct_key", "is not", null).doNothing(),
    )
    .returning("id")
    .executeTakeFirst();
  if (!created) {
    const found = await tx
      .selectFrom("conversations")
      .select("id")
      .where("realm_id", "=", realmId)
      .where("direct_key", "=", key)
      .executeTakeFirstOrThrow();
    return found.id;
  }
  const visibleBefore = await usersVisibleToGuests(tx, realmId, { userIds: partyIds, channelIds: [] });
  await sql`
    insert into participations (user_id, conversation_id, realm_id)
    select party, ${created.id}, ${realmId} from unnest(${partyIds}::bigint[]) as party`.execute(tx);
  await emitVisibilityChanges(tx, realmId, visibleBefore);
  return created.id;
}

/** Refuses recipients the sender cannot see. */
async function refuseHiddenRecipients(db: Db, sender: User, ids: number[]): Promise<void> {
  const rows = await db
    .selectFrom("users")
    .select(["id", "is_bot"])
    .where("realm_id", "=", sender.realm_id)
    .where("id", "in", ids)
    .execute();
  const sees = await visibilityFor(db, sender);
  const found = new Set(rows.filter(sees).map((row) => row.id));
  const stranger = ids.find((id) => !found.has(id));
  if (stranger !== undefined) throw new ApiError(`Invalid user ID ${stranger}`);
}

/** Finds users by e-mail address: a real one the sender may see, or a placeholder. `host` is the organization's. */
export async function peopleByEmail(db: Db, sender: User, emails: string[], host: string): Promise<number[]> {
  const addresses = [...new Set(emails.map((email) => email.toLowerCase()))];
  const placeholders = addresses.flatMap((email) => placeholderUserId(email, host) ?? []);
  const { rows } = await sql<Addressed>`
    select id, delivery_email, email_address_visibility, is_bot from users
    where realm_id = ${sender.realm_id}
      and (lower(delivery_email) = any(${addresses}::text[]) or id = any(${placeholders}::bigint[]))`.execute(db);
  const known = rows.filter(await visibilityFor(db, sender));
  return addresses.map((email) => {
    const real = known.find((row) => row.delivery_email.toLowerCase() === email && canSeeAddress(sender, row));
    const match = real ?? known.find((row) => row.id === placeholderUserId(email, host));
    if (!match) throw new ApiError(`Invalid email '${email}'`);
    return match.id;
  });
}
