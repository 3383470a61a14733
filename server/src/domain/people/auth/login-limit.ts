/**
 * Limits password attempts, counted across all nodes: five in half an hour per user name and source, whether or not the
 * account exists. Each source has its own count, so that guesses from one do not lock out users of another. Attempts from
 * unknown devices are also limited in total, per user name and per network; known devices and signed-in users are exempt
 * from that. An attempt is recorded before it is verified, so that concurrent attempts cannot exceed the limit; a
 * successful sign-in clears the attempts of its source. Codes of second factors are limited in the same way.
 */
import { sql, type RawBuilder } from "kysely";
import { rateLimitHit } from "../../../http/rate-limit.ts";
import { lockKinds, lockName } from "../../../platform/db/advisory-locks.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";

export const loginLimit = { attempts: 5, seconds: 1800 };
/** Total attempts from unknown devices: for one user name from all networks, and for all names from one network. */
export const unknownDeviceLimit = { attemptsPerName: 100, attemptsPerNetwork: 100 };

/** The source of an attempt, as stored. */
export type AttemptSource = `ip:${string}` | `device:${string}` | "account" | "factor" | `factor:${string}`;

export const fromNetwork = (network: string): AttemptSource => `ip:${network}`;
/** A browser with which this account has signed in before. */
export const fromKnownDevice = (deviceId: string): AttemptSource => `device:${deviceId}`;
/** A user who is already signed in to this account. */
export const fromAccount: AttemptSource = "account";

/**
 * Second factors, which follow a correct password, are counted apart from passwords: for each known device of the account,
 * and for all other sources together, because a code is short and somebody who knows the password may have many addresses.
 */
export const factorSource = (source: AttemptSource | undefined): AttemptSource =>
  source?.startsWith("device:") ? `factor:${source}` : "factor";
/** Codes of a user who is signed in. */
export const ownFactor: AttemptSource = "factor:account";

const isUnknownDevice = (source: AttemptSource): boolean => source.startsWith("ip:");

/** The user name as stored. No account has a longer one. */
const normalizeName = (username: string) => username.toLowerCase().slice(0, 254);

/** Counts an attempt; throws when there were too many. */
export async function countLoginAttempt(
  db: Db,
  realmId: number,
  username: string,
  source: AttemptSource,
): Promise<void> {
  const name = normalizeName(username);
  /** The time of the attempt that has to expire first; null while there are fewer than `attempts`. */
  const blocking = (attempts: number, which: RawBuilder<boolean>) => sql`(
    select at from login_failures
    where realm_id = ${realmId} and ${which} and at > now() - make_interval(secs => ${loginLimit.seconds})
    order by at desc offset ${attempts - 1} limit 1)`;
  const limits = [
    blocking(loginLimit.attempts, sql`username = ${name} and source = ${source}`),
    ...(isUnknownDevice(source)
      ? [
          blocking(unknownDeviceLimit.attemptsPerName, sql`username = ${name} and source like 'ip:%'`),
          blocking(unknownDeviceLimit.attemptsPerNetwork, sql`source = ${source}`),
        ]
      : []),
  ];
  const wait = await transaction(db, "count login try", async (tx) => {
    await lockName(tx, lockKinds.loginTries, realmId, name);
    const { rows } = await sql<{ wait: number | null }>`
      select extract(epoch from greatest(${sql.join(limits)}) - now())::float8 + ${loginLimit.seconds} as wait`.execute(
      tx,
    );
    const until = rows[0]?.wait ?? undefined;
    if (until === undefined)
      await tx.insertInto("login_failures").values({ realm_id: realmId, username: name, source }).execute();
    return until;
  });
  if (wait !== undefined) throw rateLimitHit(wait);
}

/** Deletes a user's attempts from one or all sources, and everyone's expired attempts. */
export async function clearLoginAttempts(
  tx: Tx,
  realmId: number,
  username: string,
  source: AttemptSource | "all",
): Promise<void> {
  await sql`
    delete from login_failures
    where realm_id = ${realmId}
      and ((username = ${normalizeName(username)} and ${source} in ('all', source))
        or at < now() - make_interval(secs => ${loginLimit.seconds}))`.execute(tx);
}
