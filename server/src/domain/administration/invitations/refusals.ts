/** Why an address cannot be invited. */
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { addressChecker } from "../../organization/realm-domains/allowed-addresses.ts";

/** The address, the reason, and whether there is an account that is deactivated. */
export type Refusal = [address: string, reason: string, isDeactivated: boolean];

/** The addresses that cannot be invited, in the given order. */
export async function listRefusals(db: Db, realm: Realm, addresses: readonly string[]): Promise<Refusal[]> {
  const objection = await addressChecker(db, realm);
  const accounts = await accountsByAddress(db, realm, addresses);
  return addresses.flatMap((address): Refusal[] => {
    const reason = objection(address);
    if (reason !== undefined) return [[address, reason, false]];
    const isActive = accounts.get(address.toLowerCase());
    if (isActive === undefined) return [];
    return [isActive ? [address, "Already has an account.", false] : [address, "Account is deactivated.", true]];
  });
}

/** Whether the account with an address is active, by address. */
async function accountsByAddress(db: Db, realm: Realm, addresses: readonly string[]): Promise<Map<string, boolean>> {
  const lowercase = addresses.map((address) => address.toLowerCase());
  const { rows } = await sql<{ address: string; is_active: boolean }>`
    select lower(delivery_email) as address, is_active from users
    where realm_id = ${realm.id} and lower(delivery_email) = any(${lowercase}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.address, row.is_active]));
}

interface Failure {
  errors?: Refusal[];
  sent?: boolean;
  dailyLimitReached?: boolean;
}

/** The error if not all addresses were invited. */
export const invitationFailed = (
  message: string,
  { errors = [], sent = false, dailyLimitReached = false }: Failure = {},
): ApiError =>
  new ApiError(message, {
    code: "INVITATION_FAILED",
    data: {
      errors,
      sent_invitations: sent,
      daily_limit_reached: dailyLimitReached,
      // There are no licenses here.
      license_limit_reached: false,
    },
  });

export const dailyLimitReached = () =>
  invitationFailed("This organization has reached its daily limit of invitations. No invitations were sent.", {
    dailyLimitReached: true,
  });

export function someRefused(errors: Refusal[], sent: boolean): ApiError {
  const message = sent
    ? "Some of these addresses could not be invited. Invitations were sent to all others."
    : "None of these addresses could be invited.";
  return invitationFailed(message, { errors, sent });
}
