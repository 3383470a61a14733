/** Figures about a server or one organization. Counting messages reads their whole table once. */
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

export interface Statistics {
  organizations: number;
  people: number;
  bots: number;
  deactivated_accounts: number;
  /** People with a client connected in the last day, week and 30 days, without those who hide their presence. */
  active: { day: number; week: number; month: number };
  messages: number;
  /** The last days, the current one (UTC) included. */
  messages_per_day: { day: string; messages: number }[];
  files: number;
  file_bytes: number;
  database_bytes: number;
}

export async function readStatistics(
  db: Db,
  { realmId, days }: { realmId?: number; days: number },
): Promise<Statistics> {
  const isIn = (column: string) => (realmId === undefined ? sql`true` : sql`${sql.ref(column)} = ${realmId}`);
  const activeSince = (interval: string) =>
    sql`count(*) filter (where p.last_connected_at > now() - ${interval}::interval)`;
  const { rows: figures } = await sql<Omit<Statistics, "messages" | "messages_per_day">>`
    select (select count(*) from realms r where ${isIn("r.id")}) as organizations,
      count(*) filter (where u.is_active and not u.is_bot) as people,
      count(*) filter (where u.is_active and u.is_bot and not u.is_system_bot) as bots,
      count(*) filter (where not u.is_active) as deactivated_accounts,
      (select jsonb_build_object('day', ${activeSince("1 day")}, 'week', ${activeSince("7 days")},
        'month', ${activeSince("30 days")}) from presences p where ${isIn("p.realm_id")}) as active,
      (select count(*) from attachments a where ${isIn("a.realm_id")}) as files,
      coalesce((select sum(bytes) from upload_space s where ${isIn("s.realm_id")}), 0)::float8 as file_bytes,
      pg_database_size(current_database()) as database_bytes
    from users u where ${isIn("u.realm_id")}`.execute(db);
  const { rows: messages } = await sql<{ day: string | null; messages: number }>`
    select case when m.date_sent >= start.day then to_char(m.date_sent at time zone 'UTC', 'YYYY-MM-DD') end as day,
      count(*) as messages
    from messages m cross join (
      select (date_trunc('day', now() at time zone 'UTC') - make_interval(days => ${days - 1})) at time zone 'UTC' as day
    ) as start
    where ${isIn("m.realm_id")} group by 1`.execute(db);
  const [figure] = figures;
  if (!figure) throw new Error("an aggregate has one row");
  const perDay = new Map(messages.map((row) => [row.day, row.messages]));
  const today = Date.now();
  return {
    ...figure,
    messages: messages.reduce((sum, row) => sum + row.messages, 0),
    messages_per_day: Array.from({ length: days }, (_, ago) => {
      const day = new Date(today - (days - 1 - ago) * 86_400_000).toISOString().slice(0, 10);
      return { day, messages: perDay.get(day) ?? 0 };
    }),
  };
}
