/** Defaults for a bot's event queue, used unless its registration asks for something else. */
import { sql } from "kysely";
import type { User } from "../identity/account.ts";
import type { Db } from "../platform/db/connect.ts";

interface QueueParams {
  all_public_streams?: boolean | undefined;
  narrow: [string, string][];
}

export async function withBotDefaults<P extends QueueParams>(db: Db, user: User, params: P): Promise<P> {
  if (!user.is_bot || (params.all_public_streams !== undefined && params.narrow.length > 0)) return params;
  const { rows } = await sql<{ all_public: boolean; channel: string | null }>`
    select b.default_all_public_channels as all_public, c.name as channel
    from bots b left join channels c on c.id = b.default_events_register_channel_id
    where b.user_id = ${user.id}`.execute(db);
  const [defaults] = rows;
  if (!defaults) return params;
  const narrow: [string, string][] =
    params.narrow.length === 0 && defaults.channel !== null ? [["channel", defaults.channel]] : params.narrow;
  return { ...params, all_public_streams: params.all_public_streams ?? defaults.all_public, narrow };
}
