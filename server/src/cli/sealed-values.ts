/** Tries to decrypt values in the database, to see whether SKEIN_SECRET is the one they were encrypted with. */
import { sql } from "kysely";
import { sealedFor } from "../domain/administration/invitations/links.ts";
import { deviceAddress } from "../domain/notifications/push-devices/devices.ts";
import { openKey, openToken } from "../domain/people/bots/sealed-bot.ts";
import type { Db } from "../platform/db/connect.ts";
import type { SecretBox } from "../platform/secret-box.ts";

/** Of each kind: the oldest and the newest ones. */
const tried = 50;

export async function countSealed(db: Db, box: SecretBox): Promise<{ opened: number; unreadable: number }> {
  const ends = sql.raw(`limit ${tried}`);
  const bots = await sql<{ id: number; sealed: string }>`
    (select user_id as id, sealed_api_key as sealed from bots order by user_id ${ends})
    union (select user_id, sealed_api_key from bots order by user_id desc ${ends})`.execute(db);
  const webhooks = await sql<{ id: number; sealed: string }>`
    select bot_id as id, sealed_token as sealed from outgoing_webhooks order by bot_id desc ${ends}`.execute(db);
  const links = await sql<{ sealed: string }>`
    select sealed_token as sealed from invitation_links order by id desc ${ends}`.execute(db);
  const devices = await db
    .selectFrom("push_devices")
    .selectAll()
    .where("token", "=", "-")
    .orderBy("id", "desc")
    .limit(tried)
    .execute();
  const values = [
    ...bots.rows.map(({ id, sealed }) => openKey(box, id, sealed)),
    ...webhooks.rows.map(({ id, sealed }) => openToken(box, id, sealed)),
    ...links.rows.map(({ sealed }) => box.open(sealed, sealedFor)),
    ...devices.map((device) => deviceAddress(box, device)),
  ];
  const opened = values.filter((value) => value !== undefined).length;
  return { opened, unreadable: values.length - opened };
}
