/**
 * Delivers audit logs to their destinations: each entry at least once, in order.
 *
 * A worker claims a destination for a while, sends the entries after the destination's position, and moves the position when
 * they have arrived. **Invariant:** only the newest claim moves a position, and only past entries that arrived. So two workers do
 * not deliver to the same destination at once, and if one dies, another continues from the last position when the claim has
 * expired. What was sent but not confirmed is then sent again; receivers recognize entries by their ids. No entry is skipped,
 * because entries are numbered without gaps in the order in which they commit.
 */
import type { AuditEntry } from "@skein/api/audit-log.ts";
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import type { Chore } from "../../../jobs/chore.ts";
import { OutboundError } from "../../../platform/outbound.ts";
import { realmUrlWithoutRequest } from "../../organization/realm/address.ts";
import { entriesAfter } from "../../organization/audit/queries.ts";
import { openSecret, openUrl } from "./sealed.ts";
import { isSyslog, sendToSyslog } from "./syslog.ts";
import { NotAccepted, sendToWebhook } from "./webhook.ts";

/** Longer than one delivery can take. */
const claimSeconds = 30;
const deliveryMilliseconds = 10_000;
/** For how long a worker goes on with one destination before others have their turn. */
const turnMilliseconds = 5_000;
const destinationsAtOnce = 20;
const entriesAtOnce = 100;
/** Unless one entry alone is larger. */
const bytesAtOnce = 512 * 1024;
const maxPauseSeconds = 300;

export const deliverAuditLogs: Chore = {
  name: "delivering audit logs",
  everyMilliseconds: 1000,
  run: deliverDue,
};

interface Claimed {
  id: number;
  realm_id: number;
  sealed_url: string;
  sealed_secret: string | null;
  delivered_id: number;
  failures: number;
  claim: number;
  host: string | null;
}

export async function deliverDue(ctx: Context): Promise<void> {
  const claimed = await claimDue(ctx);
  await Promise.all(claimed.map((destination) => deliver(ctx, destination)));
}

async function claimDue({ db }: Context): Promise<Claimed[]> {
  const { rows } = await sql<Claimed>`
    update audit_destinations d
    set claim = d.claim + 1, claimed_until = now() + make_interval(secs => ${claimSeconds})
    from realms r
    where r.id = d.realm_id and d.id in (
      select due.id from audit_destinations due join audit_heads h on h.realm_id = due.realm_id
      where due.is_enabled and due.delivered_id < h.last_id and due.next_try_at <= now()
        and (due.claimed_until is null or due.claimed_until < now())
      order by due.next_try_at limit ${destinationsAtOnce} for update of due skip locked)
    returning d.id, d.realm_id, d.sealed_url, d.sealed_secret, d.delivered_id, d.failures, d.claim, r.host`.execute(db);
  return rows;
}

async function deliver(ctx: Context, destination: Claimed): Promise<void> {
  const until = performance.now() + turnMilliseconds;
  let position = destination.delivered_id;
  try {
    while (performance.now() < until) {
      const entries = upTo(bytesAtOnce, await entriesAfter(ctx.db, destination.realm_id, position, entriesAtOnce));
      const last = entries.at(-1);
      if (!last) break;
      await send(ctx, destination, entries);
      ctx.metrics.auditDeliveries.inc({ outcome: "delivered" }, entries.length);
      position = last.id;
      if (!(await advance(ctx, destination, position))) return;
    }
  } catch (error) {
    if (!(error instanceof OutboundError || error instanceof NotAccepted)) throw error;
    ctx.metrics.auditDeliveries.inc({ outcome: "failed" });
    await postpone(ctx, destination, error.message);
    return;
  }
  await sql`update audit_destinations set claimed_until = null where ${isStill(destination)}`.execute(ctx.db);
}

/** The first of them that fit; at least one. */
function upTo(bytes: number, entries: AuditEntry[]): AuditEntry[] {
  let left = bytes;
  const end = entries.findIndex((entry, index) => (left -= JSON.stringify(entry).length) < 0 && index > 0);
  return end === -1 ? entries : entries.slice(0, end);
}

async function send(ctx: Context, destination: Claimed, entries: AuditEntry[]): Promise<void> {
  const { id, sealed_url, sealed_secret } = destination;
  const url = openUrl(ctx.secretBox, id, sealed_url);
  const secret = sealed_secret === null ? "" : openSecret(ctx.secretBox, id, sealed_secret);
  if (url === undefined || secret === undefined)
    throw new NotAccepted("the URL or the secret was encrypted with a different SKEIN_SECRET");
  const organization = realmUrlWithoutRequest(ctx.config, destination);
  const delivery = { organization, entries, timeoutMs: deliveryMilliseconds };
  if (isSyslog(url)) await sendToSyslog(ctx.outbound, url, delivery);
  else await sendToWebhook(ctx.outbound, url, secret, delivery);
}

/** Whether this is the newest claim of the destination. */
const isStill = ({ id, claim }: Claimed) => sql`id = ${id} and claim = ${claim}`;

/** Moves the position and prolongs the claim. False if another worker has claimed it meanwhile, or it is gone. */
async function advance({ db }: Context, destination: Claimed, position: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update audit_destinations
    set delivered_id = ${position}, delivered_at = now(), failures = 0, error = null, failed_at = null, next_try_at = now(),
      claimed_until = now() + make_interval(secs => ${claimSeconds})
    where ${isStill(destination)}`.execute(db);
  destination.failures = 0;
  return numAffectedRows === 1n;
}

/** Waits longer after each failure: a second, two, four, up to five minutes. */
async function postpone({ db }: Context, destination: Claimed, error: string): Promise<void> {
  const seconds = Math.min(maxPauseSeconds, 2 ** Math.min(destination.failures, 20)) * (1 + Math.random() / 10);
  await sql`
    update audit_destinations
    set failures = failures + 1, failed_at = now(), error = ${error}, next_try_at = now() + make_interval(secs => ${seconds}),
      claimed_until = null
    where ${isStill(destination)}`.execute(db);
}
