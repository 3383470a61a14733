/** A bot can be set up to follow something unless it asks for something else. */
import { sql } from "kysely";
import type { User } from "../http/sessions.ts";
import type { Db } from "../platform/db/connect.ts";

interface Asked {
  all_public_streams?: boolean | undefined;
  narrow: [string, string][];
}

export async function withBotDefaults<P extends Asked>(db: Db, user: User, asked: P): Promise<P> {
  if (!user.is_bot || (asked.all_public_streams !== undefined && asked.narrow.length > 0)) return asked;
  const { rows } = await sql<{ all_public: boolean; channel: string | null }>`
    select b.default_all_public_channels as all_public, c.name as channel
    from bots b left join channels c on c.id = b.default_events_register_channel_id
    where b.user_id = ${user.id}`.execute(db);
  const [defaults] = rows;
  if (!defaults) return asked;
  const narrow: [string, string][] =
    asked.narrow.length === 0 && defaults.channel !== null ? [["channel", defaults.channel]] : asked.narrow;
  return { ...asked, all_public_streams: asked.all_public_streams ?? defaults.all_public, narrow };
}
