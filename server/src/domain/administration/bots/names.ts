/** The rules for bot names, and the e-mail addresses derived from them. */
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isEmail } from "../../base/email-address.ts";

/** The e-mail address of a new bot; `domain` is the organization's. */
export function botEmail(shortName: string, domain: string): string {
  const email = `${shortName.trim()}-bot@${domain}`;
  if (shortName.trim() === "" || !isEmail(email)) throw new ApiError("Bad name or username");
  return email;
}

const inUse = "Name is already in use.";
export const inUseByOther = (name: string) =>
  `There is already an active bot named "${name}". Rename or deactivate it before you reactivate this one.`;

/** No two active bots may have the same name. Locks the organization, so that concurrent calls run one after another. */
export async function refuseTakenBotName(
  tx: Tx,
  realmId: number,
  fullName: string,
  { except = 0, explanation = inUse }: { except?: number; explanation?: string } = {},
): Promise<void> {
  await tx.selectFrom("realms").select("id").where("id", "=", realmId).forNoKeyUpdate().execute();
  const { rows } = await sql`
    select from users where realm_id = ${realmId} and is_bot and is_active and id <> ${except}
      and lower(full_name) = lower(${fullName}) limit 1`.execute(tx);
  if (rows.length > 0) throw new ApiError(explanation);
}
