/**
 * Dangerous requests of a browser need that the account's holder has confirmed who they are within the last minutes: a
 * session may be in use by whoever sits down at the computer, or has stolen its cookie. Signing in counts.
 */
import type { Endpoint } from "@skein/api/endpoint.ts";
import { sql } from "kysely";
import { stepUpRequired } from "../errors.ts";
import type { Db } from "../platform/db/connect.ts";
import type { Tx } from "../platform/db/transaction.ts";
import type { User } from "./account.ts";

const stepUpMinutes = 10;

/** Whether a request with these parameters needs it, although not all requests to the endpoint do. */
export function needsStepUp({ stepUp }: Endpoint, params: Readonly<Record<string, unknown>>): boolean {
  if (stepUp === undefined || stepUp === true) return false;
  return Object.entries(stepUp).some(([name, values]) => {
    const value = params[name];
    return value !== undefined && (values === true || values?.includes(value));
  });
}

interface Found {
  is_recent: boolean;
  totp: boolean;
  passkey: boolean;
  has_password: boolean;
}

/** Throws if the account is signed in in a browser that has not confirmed recently. */
export async function requireStepUp(db: Db, { credential, realm }: User): Promise<void> {
  if (credential?.kind !== "session") return;
  const { rows } = await sql<Found>`
    select s.confirmed_at > now() - make_interval(mins => ${stepUpMinutes}) as is_recent,
      exists (select from totp_secrets t where t.user_id = u.id and t.confirmed_at is not null) as totp,
      exists (select from passkeys p where p.user_id = u.id) as passkey,
      u.password_hash is not null as has_password
    from browser_sessions s join users u on u.id = s.user_id where s.id = ${credential.id}`.execute(db);
  const [found] = rows;
  if (found?.is_recent) return;
  throw stepUpRequired(found ? ways(found, realm.only_identity_provider_id === null) : []);
}

/** With what this account can confirm; `sign_in` if only signing in again is left, with an identity provider. */
function ways({ totp, passkey, has_password }: Found, acceptsPasswords: boolean): string[] {
  if (totp || passkey) return [...(totp ? ["totp"] : []), ...(passkey ? ["passkey"] : []), "recovery_code"];
  return has_password && acceptsPasswords ? ["password"] : ["sign_in"];
}

/** Returns until when the session counts as confirmed. */
export async function confirmStepUp(tx: Tx, sessionId: number): Promise<Date> {
  const { rows } = await sql<{ until: Date }>`
    update browser_sessions set confirmed_at = now() where id = ${sessionId}
    returning confirmed_at + make_interval(mins => ${stepUpMinutes}) as until`.execute(tx);
  return rows[0]?.until ?? new Date();
}
