/**
 * Remembers which browser sessions and API keys come from which session at an identity provider, so that they end when the
 * provider reports its end.
 */
import { sql } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import { revokeApiKey } from "./api-keys.ts";
import { endBrowserSessionById } from "./browser-sessions.ts";

export interface ProviderSession {
  provider_id: number;
  subject: string;
  /** Null if the provider does not name its sessions. */
  sid: string | null;
}

export async function rememberProviderSession(
  tx: Tx,
  account: { realm_id: number; providerSession?: ProviderSession },
  made: { session_id: number } | { api_key_id: number },
): Promise<void> {
  if (account.providerSession)
    await tx
      .insertInto("provider_sessions")
      .values({ realm_id: account.realm_id, ...account.providerSession, ...made })
      .execute();
}

export interface EndedSession {
  kind: "session" | "api_key";
  id: number;
  user_id: number;
}

/**
 * Ends what was made by a session at the provider, or if none is named, by all sessions of a person there. Must run inside
 * revoke(). Returns what has ended.
 */
export async function endProviderSessions(
  tx: Tx,
  provider: { id: number; realm_id: number },
  { sub, sid }: { sub?: string | undefined; sid?: string | undefined },
): Promise<EndedSession[]> {
  const { rows } = await sql<{ user_id: number; session_id: number | null; api_key_id: number | null }>`
    select coalesce(b.user_id, k.user_id) as user_id, p.session_id, p.api_key_id
    from provider_sessions p left join browser_sessions b on b.id = p.session_id left join api_keys k on k.id = p.api_key_id
    where p.realm_id = ${provider.realm_id} and p.provider_id = ${provider.id}
      and (${sid ?? null}::text is null or p.sid = ${sid ?? null})
      and (${sub ?? null}::text is null or p.subject = ${sub ?? null})
    order by p.id`.execute(tx);
  const ended: EndedSession[] = [];
  for (const { user_id, session_id, api_key_id } of rows) {
    const holder = { id: user_id, realm_id: provider.realm_id };
    if (session_id !== null && (await endBrowserSessionById(tx, holder, session_id)))
      ended.push({ kind: "session", id: session_id, user_id });
    if (api_key_id !== null && (await revokeApiKey(tx, holder, api_key_id)) !== undefined)
      ended.push({ kind: "api_key", id: api_key_id, user_id });
  }
  return ended;
}
