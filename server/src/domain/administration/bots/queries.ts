import { sql, type RawBuilder } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { metadataAccessSql } from "../../channels/access.ts";
import { avatarUrl, type Pictured } from "../../people/users/avatar.ts";
import type { SealedBot, SealedService } from "../../people/bots/sealed-bot.ts";

interface BotRow extends Pictured {
  full_name: string;
  role: number;
  bot_type: number | null;
  is_active: boolean;
  bot_owner_id: number | null;
  sealed_api_key: string;
  sending: string | null;
  registering: string | null;
  default_all_public_channels: boolean;
  service: SealedService | null;
}

/** All bots of an organization, those of one owner, or a single bot. */
export interface BotFilter {
  realmId: number;
  ownerId?: number;
  id?: number;
}

/** Ordered by ID. With a reader, includes only the names of channels that the reader may know of. */
export async function listBots(db: Db, { realmId, ownerId, id }: BotFilter, reader?: User): Promise<SealedBot[]> {
  // The reader is not part of the text, which is the same for all users, so that its plan can be kept.
  const columns = { id: "(select id from reader)", rank: "(select rank from reader)" };
  const mayKnow = (channel: string, subscription: string): RawBuilder<boolean> =>
    reader ? sql.raw(metadataAccessSql({ channel, subscription, reader: columns })) : sql<boolean>`true`;
  const { rows } = await sql<BotRow>`
    with reader (id, rank) as (select ${reader?.id ?? 0}::bigint, ${reader?.rank ?? 0}::int)
    select u.id, u.delivery_email, u.email_address_visibility, u.is_bot, u.avatar_source, u.avatar_version, u.avatar_key,
      u.full_name, u.role, u.bot_type, u.is_active, u.bot_owner_id, b.sealed_api_key, b.default_all_public_channels,
      case when ${mayKnow("sc", "ss")} then sc.name end as sending,
      case when ${mayKnow("rc", "rs")} then rc.name end as registering,
      case when w.bot_id is not null then json_build_object(
        'base_url', w.base_url, 'sealed_base_url', w.sealed_base_url, 'interface', w.interface, 'sealed_token', w.sealed_token) end as service
    from bots b join users u on u.id = b.user_id
      left join outgoing_webhooks w on w.bot_id = b.user_id
      left join channels sc on sc.id = b.default_sending_channel_id
      left join subscriptions ss on ss.channel_id = sc.id and ss.user_id = (select id from reader)
      left join channels rc on rc.id = b.default_events_register_channel_id
      left join subscriptions rs on rs.channel_id = rc.id and rs.user_id = (select id from reader)
    where b.realm_id = ${realmId}
      and (${ownerId ?? null}::bigint is null or u.bot_owner_id = ${ownerId ?? null})
      and (${id ?? null}::bigint is null or u.id = ${id ?? null})
    order by u.id`.execute(db);
  return rows.map((row) => ({
    user_id: row.id,
    email: row.delivery_email,
    full_name: row.full_name,
    bot_type: row.bot_type,
    is_active: row.is_active,
    owner_id: row.bot_owner_id,
    avatar_url: avatarUrl(row),
    default_sending_stream: row.sending,
    default_events_register_stream: row.registering,
    default_all_public_streams: row.default_all_public_channels,
    role: row.role,
    sealed_api_key: row.sealed_api_key,
    service: row.service,
  }));
}

export async function getBot(db: Db, realmId: number, id: number): Promise<SealedBot> {
  const [bot] = await listBots(db, { realmId, id });
  if (!bot) throw new Error(`bot ${id} has no record`);
  return bot;
}
