/**
 * The tokens of directories. A token is returned once and stored as a hash. It is looked up for every request, and again by
 * the transaction of a change, so that no node accepts it once it has been revoked.
 */
import { randomBytes } from "node:crypto";
import { maxScimTokens, type ScimToken } from "@skein/api/provisioning.ts";
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { countPageOfAddress, countProvisioning } from "../../../http/page-limits.ts";
import type { PageRequest } from "../../../http/page.ts";
import type { Realm, User } from "../../../identity/account.ts";
import { hashKey } from "../../../identity/sessions.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import { lockHead } from "../../organization/audit/record.ts";
import { findRealm } from "../../organization/realm/find-realm.ts";

/** The organization's directory, as a caller. */
export interface Directory {
  realm: Realm;
  tokenId: number;
  request: { ip: string; id: string };
  /** The URL of SCIM resources. */
  base: string;
}

/** Connecting a directory gives it power over all accounts, the owners' own included. */
export function accessProvisioning({ role }: User): void {
  if (role !== roles.owner) throw new ApiError("Must be an organization owner");
}

const unauthorized = () =>
  new ApiError("A valid SCIM token is required.", {
    status: 401,
    code: "UNAUTHORIZED",
    headers: { "WWW-Authenticate": "Bearer" },
  });

/** Tells tokens apart from other secrets, for people and for programs that search for leaked ones. */
const prefix = "skein_scim_";

/** Throws unless the request has a token of the organization. */
export async function authenticate(ctx: Context, request: PageRequest): Promise<Directory> {
  const [scheme = "", token = "", ...rest] = (request.authorization ?? "").split(" ");
  const isBearer = scheme.toLowerCase() === "bearer" && token.startsWith(prefix) && rest.length === 0;
  const realm = isBearer ? await findRealm(ctx.db, request.host) : undefined;
  const found = realm && !realm.deactivated ? await findToken(ctx.db, realm, token) : undefined;
  if (!realm || found === undefined) {
    countPageOfAddress(ctx, request.ip);
    throw unauthorized();
  }
  countProvisioning(ctx, found);
  const caller = { ip: request.address, id: request.id };
  return { realm, tokenId: found, request: caller, base: `${request.origin}/scim/v2` };
}

async function findToken(db: Db, realm: Realm, token: string): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    with found as (
      select id, last_used_at from scim_tokens where realm_id = ${realm.id} and token_hash = ${hashKey(token)}
    ),
    used as (
      update scim_tokens t set last_used_at = date_trunc('hour', now()) from found
      where t.id = found.id and (t.last_used_at is null or t.last_used_at < now() - interval '1 hour')
    )
    select id from found`.execute(db);
  return rows[0]?.id;
}

/** Begins a change: locks the end of the audit log, so that changes of an organization are made one after another. */
export async function beginChange(tx: Tx, { realm, tokenId }: Directory): Promise<void> {
  await lockHead(tx, realm.id);
  const { rows } = await sql`
    select from scim_tokens where realm_id = ${realm.id} and id = ${tokenId} for share`.execute(tx);
  if (rows.length === 0) throw unauthorized();
}

export async function listTokens(db: Db, realmId: number): Promise<ScimToken[]> {
  const rows = await db
    .selectFrom("scim_tokens")
    .select(["id", "name", "created_at", "last_used_at"])
    .where("realm_id", "=", realmId)
    .orderBy("id", "desc")
    .execute();
  return rows.map((row) => ({
    ...row,
    created_at: toTimestamp(row.created_at),
    last_used_at: row.last_used_at && toTimestamp(row.last_used_at),
  }));
}

/** The caller has locked the audit log, so that two requests at once do not both create the last token. */
export async function createToken(tx: Tx, realmId: number, given: string) {
  const name = given.trim();
  if (name === "") throw new ApiError("A token needs a name.");
  const { count } = await tx
    .selectFrom("scim_tokens")
    .select(tx.fn.countAll<number>().as("count"))
    .where("realm_id", "=", realmId)
    .executeTakeFirstOrThrow();
  if (count >= maxScimTokens) throw new ApiError(`You can have ${maxScimTokens} tokens. Revoke one first.`);
  const token = prefix + randomBytes(32).toString("base64url");
  const row = await tx
    .insertInto("scim_tokens")
    .values({ realm_id: realmId, name, token_hash: hashKey(token) })
    .returning(["id", "name", "created_at"])
    .executeTakeFirstOrThrow();
  return { ...row, created_at: toTimestamp(row.created_at), token };
}

/** Returns the token's name, or undefined if there is no such token. */
export async function removeToken(tx: Tx, realmId: number, id: number): Promise<string | undefined> {
  const removed = await tx
    .deleteFrom("scim_tokens")
    .where("realm_id", "=", realmId)
    .where("id", "=", id)
    .returning("name")
    .executeTakeFirst();
  return removed?.name;
}
