/** Whom a message is for: from what `to` says to a channel or a set of people. */
import { createHash } from "node:crypto";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import { maxRecipients, type sendMessage } from "@skein/api/messages.ts";
import { sql } from "kysely";
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import type { ChannelTarget } from "../channels/access.ts";
import { canSeeAddress, standInUserId, type Addressed } from "../users/email.ts";
import { sightOf, sightsOfGuests } from "../users/guest-view.ts";
import { emitPeopleInSight } from "../users/people-in-sight.ts";

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

/** The people named, without looking any of them up: ids, or addresses. */
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

/** Same people, same conversation, whoever writes and in whichever order they are named. */
export function directKey(partyIds: number[]): string {
  const key = partyIds.join(",");
  return key.length <= 200 ? key : `sha256:${createHash("sha256").update(key).digest("hex")}`;
}

const maxRemembered = 100_000;
const remembered = new WeakMap<Db, Map<string, number>>();

/** The conversation of a sender with these people. It never changes, so a node asks once. */
export async function directConversation(db: Db, sender: User, people: number[]): Promise<number> {
  const partyIds = [...new Set([...people, sender.id])].toSorted((a, b) => a - b);
  const key = directKey(partyIds);
  const known = remembered.get(db) ?? new Map<string, number>();
  remembered.set(db, known);
  const memoryKey = `${sender.realm_id}:${key}`;
  const id = known.get(memoryKey) ?? (await findOrMake(db, sender, key, partyIds));
  if (known.size >= maxRemembered) known.clear();
  known.set(memoryKey, id);
  return id;
}

/** The same inside a transaction. */
export async function directConversationWithin(tx: Tx, sender: User, people: number[]): Promise<number> {
  const partyIds = [...new Set([...people, sender.id])].toSorted((a, b) => a - b);
  await refuseStrangers(tx, sender, partyIds);
  return findOrMakeWithin(tx, sender.realm_id, directKey(partyIds), partyIds);
}

async function findOrMake(db: Db, sender: User, key: string, partyIds: number[]): Promise<number> {
  await refuseStrangers(db, sender, partyIds);
  return transaction(db, "find direct conversation", (tx) => findOrMakeWithin(tx, sender.realm_id, key, partyIds));
}

async function findOrMakeWithin(tx: Tx, realmId: number, key: string, partyIds: number[]): Promise<number> {
  const made = await tx
    .insertInto("conversations")
    .values({ realm_id: realmId, direct_key: key, is_group: partyIds.length > 2 })
    .onConflict((conflict) =>
      conflict.columns(["realm_id", "direct_key"]).where("direct_key", "is not", null).doNothing(),
    )
    .returning("id")
    .executeTakeFirst();
  if (!made) {
    const found = await tx
      .selectFrom("conversations")
      .select("id")
      .where("realm_id", "=", realmId)
      .where("direct_key", "=", key)
      .executeTakeFirstOrThrow();
    return found.id;
  }
  const sights = await sightsOfGuests(tx, realmId, { userIds: partyIds, channelIds: [] });
  await sql`
    insert into participations (user_id, conversation_id, realm_id)
    select party, ${made.id}, ${realmId} from unnest(${partyIds}::bigint[]) as party`.execute(tx);
  await emitPeopleInSight(tx, realmId, sights);
  return made.id;
}

/** Whom the sender does not see is nobody to write to. */
async function refuseStrangers(db: Db, sender: User, ids: number[]): Promise<void> {
  const rows = await db
    .selectFrom("users")
    .select(["id", "is_bot"])
    .where("realm_id", "=", sender.realm_id)
    .where("id", "in", ids)
    .execute();
  const sees = await sightOf(db, sender);
  const found = new Set(rows.filter(sees).map((row) => row.id));
  const stranger = ids.find((id) => !found.has(id));
  if (stranger !== undefined) throw new ApiError(`Invalid user ID ${stranger}`);
}

/** The people with these addresses: real ones the sender may see, or stand-ins. `host` is the organization's. */
export async function peopleByEmail(db: Db, sender: User, emails: string[], host: string): Promise<number[]> {
  const wanted = [...new Set(emails.map((email) => email.toLowerCase()))];
  const standIns = wanted.flatMap((email) => standInUserId(email, host) ?? []);
  const { rows } = await sql<Addressed>`
    select id, delivery_email, email_address_visibility, is_bot from users
    where realm_id = ${sender.realm_id}
      and (lower(delivery_email) = any(${wanted}::text[]) or id = any(${standIns}::bigint[]))`.execute(db);
  const known = rows.filter(await sightOf(db, sender));
  return wanted.map((email) => {
    const real = known.find((row) => row.delivery_email.toLowerCase() === email && canSeeAddress(sender, row));
    const meant = real ?? known.find((row) => row.id === standInUserId(email, host));
    if (!meant) throw new ApiError(`Invalid email '${email}'`);
    return meant.id;
  });
}
