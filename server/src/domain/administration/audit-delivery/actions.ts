import { randomBytes } from "node:crypto";
import { maxDestinations, type AuditDestination } from "@skein/api/audit-destinations.ts";
import { roles } from "@skein/api/users.ts";
import { sql, type Selectable } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { AuditDestinationsTable } from "../../../platform/db/schema.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import { audited, type Caller } from "../../organization/audit/audited.ts";
import { lockHead } from "../../organization/audit/record.ts";
import { refuseStale } from "../../people/users/access.ts";
import { sealSecret, sealUrl } from "./sealed.ts";
import { isSyslog } from "./syslog.ts";

type Row = Selectable<AuditDestinationsTable>;

/** Entries contain names, e-mail addresses and IP addresses of everybody, and leave the server for good. */
export function accessDestinations({ role }: User): void {
  if (role !== roles.owner) throw new ApiError("Must be an organization owner");
}

const time = (date: Date | null): number | null => (date === null ? null : toTimestamp(date));

const toDestination = (row: Row, newestId: number): AuditDestination => ({
  id: row.id,
  kind: isSyslog(row.url) ? "syslog" : "webhook",
  url: row.url,
  is_enabled: row.is_enabled,
  created_at: toTimestamp(row.created_at),
  delivered_id: row.delivered_id,
  newest_id: newestId,
  delivered_at: time(row.delivered_at),
  failed_at: time(row.failed_at),
  error: row.error,
  next_try_at: row.failed_at === null ? null : toTimestamp(row.next_try_at),
});

export async function listDestinations(db: Db, realmId: number): Promise<AuditDestination[]> {
  const rows = await db
    .selectFrom("audit_destinations as d")
    .leftJoin("audit_heads as h", "h.realm_id", "d.realm_id")
    .selectAll("d")
    .select((select) => select.fn.coalesce("h.last_id", sql<number>`0`).as("newest_id"))
    .where("d.realm_id", "=", realmId)
    .orderBy("d.id")
    .execute();
  return rows.map(({ newest_id, ...row }) => toDestination(row, newest_id));
}

/** The URL as it is requested, and as it is shown. */
function readUrl(text: string): { full: string; shown: string } {
  const url = URL.parse(text.trim());
  if (!url || !/^(https?|tls|tcp):$/.test(url.protocol) || url.hostname === "")
    throw new ApiError("The URL must begin with https://, http://, tls:// or tcp://.");
  if (isSyslog(url.href) && (/^\/?$/.exec(url.pathname) === null || url.search !== "" || url.username !== ""))
    throw new ApiError("The URL of a syslog server has a host and a port, and nothing else.");
  return { full: url.href, shown: `${url.protocol}//${url.host}${url.pathname}` };
}

interface NewDestination {
  url: string;
  after?: number | undefined;
}

export async function createDestination(
  tx: Tx,
  box: SecretBox,
  caller: Caller,
  { url: text, after }: NewDestination,
): Promise<AuditDestination & { secret: string | null }> {
  const { realm_id } = caller.user;
  const url = readUrl(text);
  // Creations of one organization wait for each other here, so that none is counted too late.
  const head = await lockHead(tx, realm_id);
  await refuseStale(tx, caller.user);
  const { count } = await tx
    .selectFrom("audit_destinations")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("realm_id", "=", realm_id)
    .executeTakeFirstOrThrow();
  if (count >= maxDestinations) throw new ApiError(`An organization can have ${maxDestinations} destinations.`);
  if (after !== undefined && after > head.last_id) throw new ApiError("There is no entry with this ID.");
  const secret = isSyslog(url.full) ? null : randomBytes(32).toString("base64url");
  const insert = async (): Promise<Row> => {
    // The id is part of what the secrets are encrypted for.
    const { rows } = await sql<{ id: number }>`
      select nextval(pg_get_serial_sequence('audit_destinations', 'id')) as id`.execute(tx);
    const id = rows[0]?.id;
    if (id === undefined) throw new Error("unreachable: the statement returns a row");
    return tx
      .insertInto("audit_destinations")
      .values({
        id,
        realm_id,
        url: url.shown,
        sealed_url: sealUrl(box, id, url.full),
        sealed_secret: secret === null ? null : sealSecret(box, id, secret),
        delivered_id: after ?? head.last_id,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  };
  const row = await audited(
    tx,
    caller,
    { kind: "audit_destination", id: (made: Row) => made.id, action: "audit_destination.create" },
    insert,
  );
  // The entry about it is the newest one now.
  return { ...toDestination(row, head.last_id + 1), secret };
}

const noSuchDestination = () => new ApiError("Destination does not exist.", { status: 404 });

interface DestinationChange {
  is_enabled?: boolean | undefined;
  url?: string | undefined;
}

export async function updateDestination(
  tx: Tx,
  box: SecretBox,
  caller: Caller,
  id: number,
  { is_enabled, url: text }: DestinationChange,
): Promise<void> {
  const url = text === undefined ? undefined : readUrl(text);
  const change = async (): Promise<void> => {
    await refuseStale(tx, caller.user);
    const old = await tx
      .selectFrom("audit_destinations")
      .select("url")
      .where("realm_id", "=", caller.user.realm_id)
      .where("id", "=", id)
      .forUpdate()
      .executeTakeFirst();
    if (!old) throw noSuchDestination();
    if (url && isSyslog(url.full) !== isSyslog(old.url))
      throw new ApiError("A webhook cannot become a syslog server. Create another destination instead.");
    await tx
      .updateTable("audit_destinations")
      .set({
        ...(is_enabled === undefined ? {} : { is_enabled }),
        ...(url ? { url: url.shown, sealed_url: sealUrl(box, id, url.full) } : {}),
        // It is tried at once, and what a worker is sending as it was before does not count.
        failures: 0,
        next_try_at: sql`now()`,
        claim: sql`claim + 1`,
        claimed_until: null,
      })
      .where("id", "=", id)
      .execute();
  };
  const isAlways = url !== undefined;
  await audited(tx, caller, { kind: "audit_destination", id, action: "audit_destination.update", isAlways }, change);
}

export async function deleteDestination(tx: Tx, caller: Caller, id: number): Promise<void> {
  await audited(tx, caller, { kind: "audit_destination", id, action: "audit_destination.delete" }, async () => {
    await refuseStale(tx, caller.user);
    const gone = await tx
      .deleteFrom("audit_destinations")
      .where("realm_id", "=", caller.user.realm_id)
      .where("id", "=", id)
      .returning("id")
      .executeTakeFirst();
    if (!gone) throw noSuchDestination();
  });
}
