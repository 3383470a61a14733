/** Whom a message is for: from what `to` says to a channel or a set of people. */
import { createHash } from "node:crypto";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import type { sendMessage } from "@skein/api/messages.ts";
import { sql } from "kysely";
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import { transaction } from "../../platform/db/transaction.ts";

type To = ParamsOf<typeof sendMessage>["to"];

export type ChannelTarget = { id: number } | { name: string };

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
  return ids.length > 0 ? { ids } : { emails };
}

/** Same people, same conversation, whoever writes and in whichever order they are named. */
function directKey(partyIds: number[]): string {
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
  const id = known.get(memoryKey) ?? (await findOrMake(db, sender.realm_id, key, partyIds));
  if (known.size >= maxRemembered) known.clear();
  known.set(memoryKey, id);
  return id;
}

async function findOrMake(db: Db, realmId: number, key: string, partyIds: number[]): Promise<number> {
  await refuseStrangers(db, realmId, partyIds);
  return transaction(db, "find direct conversation", async (tx) => {
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
    await sql`
      insert into participations (user_id, conversation_id, realm_id)
      select party, ${made.id}, ${realmId} from unnest(${partyIds}::bigint[]) as party`.execute(tx);
    return made.id;
  });
}

async function refuseStrangers(db: Db, realmId: number, ids: number[]): Promise<void> {
  const rows = await db
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realmId)
    .where("id", "in", ids)
    .execute();
  const found = new Set(rows.map((row) => row.id));
  const stranger = ids.find((id) => !found.has(id));
  if (stranger !== undefined) throw new ApiError(`Invalid user ID ${stranger}`);
}

/** The people with these addresses: real ones, or the stand-ins of people who hide theirs. */
export async function peopleByEmail(db: Db, sender: User, emails: string[]): Promise<number[]> {
  const wanted = [...new Set(emails.map((email) => email.toLowerCase()))];
  const { rows } = await sql<{ id: number; email: string }>`
    select u.id, w.email from unnest(${wanted}::text[]) as w (email) join users u on u.realm_id = ${sender.realm_id}
      and (lower(u.delivery_email) = w.email or u.id = (substring(w.email from '^user([0-9]{1,15})@'))::bigint)`.execute(
    db,
  );
  const unknown = wanted.find((email) => !rows.some((row) => row.email === email));
  if (unknown !== undefined) throw new ApiError(`Invalid email '${unknown}'`);
  return rows.map((row) => row.id);
}
