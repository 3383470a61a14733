import { sql } from "kysely";
import type { Config } from "../../../config.ts";
import { enqueueAll } from "../../../jobs/job.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Recipient } from "../recipient.ts";
import { devicePush } from "./device-push.ts";
import { hasPushRelay } from "./relay.ts";
import { hasWebPush } from "./web-push.ts";

/** How long to wait before checking again whether a reader is away. */
export const waitSeconds = 60;

/** Stores notifications for devices, and enqueues those that need not wait. */
export async function addPushes(tx: Tx, config: Config, recipients: readonly Recipient[]): Promise<void> {
  const wanted = recipients.flatMap(({ user_id, message_id, due: { mobile, web } }) => [
    ...(mobile && hasPushRelay(config) ? [{ user_id, message_id, isWeb: false, isNow: mobile.isNow }] : []),
    ...(web && hasWebPush(config) ? [{ user_id, message_id, isWeb: true, isNow: web.isNow }] : []),
  ]);
  if (wanted.length === 0) return;
  const { rows } = await sql<{ device_id: number; is_handed: boolean }>`
    insert into pushes (device_id, message_id, user_id, realm_id, is_handed, due_at)
    select d.id, wanted.message_id, d.user_id, d.realm_id, wanted.is_now,
      case when wanted.is_now then now() else now() + make_interval(secs => ${waitSeconds}) end
    from unnest(
      ${wanted.map((one) => one.user_id)}::bigint[], ${wanted.map((one) => one.message_id)}::bigint[],
      ${wanted.map((one) => one.isWeb)}::boolean[], ${wanted.map((one) => one.isNow)}::boolean[]
    ) as wanted (user_id, message_id, is_web, is_now)
      join push_devices d on d.user_id = wanted.user_id and (d.kind = 'web') = wanted.is_web
    on conflict do nothing
    returning device_id, is_handed`.execute(tx);
  const devices = new Set(rows.filter((row) => row.is_handed).map((row) => row.device_id));
  await enqueueAll(
    tx,
    devicePush,
    [...devices].map((device_id) => ({ device_id })),
  );
}
