import { maxAlertWords } from "@skein/api/alert-words.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { listAlertWords } from "./queries.ts";

/** Returns all of the user's words. */
export async function addAlertWords(tx: Tx, user: User, given: string[]): Promise<string[]> {
  await lockAlertWords(tx, user);
  const { rows: added } = await sql`
    insert into alert_words (realm_id, user_id, word)
    select ${user.realm_id}, ${user.id}, word from unnest(${cleaned(given)}::text[]) with ordinality as new (word, n)
    order by n
    on conflict do nothing returning id`.execute(tx);
  const words = await listAlertWords(tx, user);
  if (words.length > maxAlertWords) throw new ApiError(`You cannot have more than ${maxAlertWords} alert words.`);
  if (added.length > 0) emitAlertWords(tx, user, words);
  return words;
}

/** Returns the words that are left. */
export async function removeAlertWords(tx: Tx, user: User, given: string[]): Promise<string[]> {
  await lockAlertWords(tx, user);
  const { rows: removed } = await sql`
    delete from alert_words
    where realm_id = ${user.realm_id} and user_id = ${user.id}
      and lower(word) in (select lower(word) from unnest(${cleaned(given)}::text[]) as gone (word))
    returning id`.execute(tx);
  const words = await listAlertWords(tx, user);
  if (removed.length > 0) emitAlertWords(tx, user, words);
  return words;
}

/** Trimmed, without blank ones. */
const cleaned = (words: string[]): string[] => words.map((word) => word.trim()).filter((word) => word !== "");

/** Serializes changes of a user's words, so that each event holds the complete list. */
async function lockAlertWords(tx: Tx, user: User): Promise<void> {
  await tx.selectFrom("users").select("id").where("id", "=", user.id).forNoKeyUpdate().execute();
}

function emitAlertWords(tx: Tx, user: User, alert_words: string[]): void {
  emit(tx, user.realm_id, toUser(user.id), { type: "alert_words", alert_words });
}
