/**
 * Challenges for passkeys: random bytes that a passkey has to sign. The server keeps none: it seals each, with its purpose
 * and its end, into a text that comes back with the response. Only those that were accepted are stored, until they expire.
 *
 * **Invariant:** a challenge is accepted once, on whichever nodes it arrives at the same time, and only by the organization,
 * for the purpose and for the account it was made for.
 */
import { hash, randomBytes } from "node:crypto";
import { sql } from "kysely";
import { z } from "zod";
import type { SecretBox } from "../../../platform/secret-box.ts";
import type { Tx } from "../../../platform/db/transaction.ts";

const lifetimeSeconds = 600;

/** What the signature is for. Those of a signed-in account are for that account alone. */
export type ChallengePurpose = { signInTo: number } | { confirm: number } | { register: number };

const textOf = (purpose: ChallengePurpose): string => {
  if ("signInTo" in purpose) return `passkey to sign in to realm ${purpose.signInTo}`;
  if ("confirm" in purpose) return `passkey to confirm user ${purpose.confirm}`;
  return `passkey to register for user ${purpose.register}`;
};

export interface Challenge {
  challenge: Uint8Array<ArrayBuffer>;
  /** The challenge, sealed. */
  state: string;
}

const sealedSchema = z.strictObject({ challenge: z.string(), until: z.number() });

export function newChallenge(box: SecretBox, purpose: ChallengePurpose): Challenge {
  const bytes = randomBytes(32);
  const sealed = { challenge: bytes.toString("base64url"), until: Date.now() + lifetimeSeconds * 1000 };
  return { challenge: Uint8Array.from(bytes), state: box.seal(JSON.stringify(sealed), textOf(purpose)) };
}

/** The challenge in base64url; undefined if it was not made for this, or has expired. */
export function openChallenge(box: SecretBox, purpose: ChallengePurpose, state: string): string | undefined {
  const text = box.open(state, textOf(purpose));
  if (text === undefined) return undefined;
  const { data } = sealedSchema.safeParse(JSON.parse(text)); // may come from another release
  return data && data.until > Date.now() ? data.challenge : undefined;
}

/** Returns whether it is the first use. Of several transactions at once, one gets true. */
export async function spendChallenge(tx: Tx, realmId: number, challenge: string): Promise<boolean> {
  const { rows } = await sql`
    insert into used_sign_ins (realm_id, hash, expires_at)
    values (${realmId}, ${hash("sha256", `passkey ${challenge}`, "buffer")}, now() + make_interval(secs => ${2 * lifetimeSeconds}))
    on conflict do nothing returning 1`.execute(tx);
  return rows.length > 0;
}
