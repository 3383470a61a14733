/** What an operator sees of the organizations of a server. */
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

export type RealmState = "active" | "deactivated" | "being deleted" | "moved to another cell";

export interface RealmSummary {
  id: number;
  string_id: string;
  name: string;
  host: string | null;
  date_created: Date;
  state: RealmState;
  /** Active accounts of people. */
  people: number;
  /** How many rows were deleted so far; null unless the organization is being deleted. */
  rows_deleted: number | null;
}

const summary = sql`
  r.id, r.string_id, r.name, r.host, r.date_created, d.rows_deleted,
  case when d.id is not null then 'being deleted' when r.moved_to is not null then 'moved to another cell' when r.deactivated then 'deactivated' else 'active' end as state,
  (select count(*) from users u where u.realm_id = r.id and u.is_active and not u.is_bot) as people`;

export async function listRealms(db: Db): Promise<RealmSummary[]> {
  const { rows } = await sql<RealmSummary>`
    select ${summary} from realms r left join realm_deletions d on d.id = r.id order by r.id`.execute(db);
  return rows;
}

export interface RealmDetails extends RealmSummary {
  description: string;
  /** Active people by role. */
  roles: Record<keyof typeof roles, number>;
  bots: number;
  deactivated_accounts: number;
  channels: number;
  archived_channels: number;
  messages: number;
  newest_message_at: Date | null;
  /** Null: messages are kept. */
  message_retention_days: number | null;
  files: number;
  file_bytes: number;
}

type DetailsRow = Omit<RealmDetails, "roles"> & { by_role: Record<string, number> | null };

export async function showRealm(db: Db, id: number): Promise<RealmDetails> {
  const { rows } = await sql<DetailsRow>`
    select ${summary}, r.description, nullif(r.message_retention_days, -1) as message_retention_days,
      (select jsonb_object_agg(role, count) from (
        select role, count(*) from users u where u.realm_id = r.id and u.is_active and not u.is_bot group by role) as counted
      ) as by_role,
      (select count(*) from users u where u.realm_id = r.id and u.is_active and u.is_bot and not u.is_system_bot) as bots,
      (select count(*) from users u where u.realm_id = r.id and not u.is_active) as deactivated_accounts,
      (select count(*) from channels c where c.realm_id = r.id and not c.is_archived) as channels,
      (select count(*) from channels c where c.realm_id = r.id and c.is_archived) as archived_channels,
      sent.messages, sent.newest_message_at,
      (select count(*) from attachments a where a.realm_id = r.id) as files,
      coalesce((select bytes from upload_space s where s.realm_id = r.id), 0) as file_bytes
    from realms r left join realm_deletions d on d.id = r.id
      cross join lateral (
        select count(*) as messages, max(m.date_sent) as newest_message_at from messages m where m.realm_id = r.id) as sent
    where r.id = ${id}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error(`there is no organization ${id}`);
  const { by_role, ...details } = row;
  const counts = Object.entries(roles).map(([name, role]) => [name, by_role?.[role] ?? 0]);
  return { ...details, roles: Object.fromEntries(counts) as RealmDetails["roles"] }; // one entry for each role
}
