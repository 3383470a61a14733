/** What an operator sees of the accounts of an organization. */
import { roles, type Role } from "@skein/api/users.ts";
import { sql, type RawBuilder } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

export interface UserFilter {
  role?: Role;
  isActive?: boolean;
  /** Without it people and bots are listed. The server's own bots never are. */
  isBot?: boolean;
  /** Part of the name or of the e-mail address. */
  text?: string;
  /** Only accounts with larger ids. */
  after?: number;
  limit: number;
}

export interface ListedUser {
  id: number;
  full_name: string;
  delivery_email: string;
  role: Role;
  is_active: boolean;
  is_bot: boolean;
  date_joined: Date;
  /** When one of the user's clients was last connected; null if never, or if they hide it. */
  last_connected_at: Date | null;
}

export const roleName = (role: number): string =>
  Object.entries(roles).find(([, number]) => number === role)?.[0] ?? String(role);

const columns = sql`u.id, u.full_name, u.delivery_email, u.role, u.is_active, u.is_bot, u.date_joined,
  p.last_connected_at from users u left join presences p on p.user_id = u.id`;

/** In the order of their ids, which is that of joining. */
export async function listUsers(db: Db, realmId: number, filter: UserFilter): Promise<ListedUser[]> {
  const { role, isActive, isBot, text, after = 0, limit } = filter;
  const conditions: RawBuilder<unknown>[] = [
    sql`u.realm_id = ${realmId} and not u.is_system_bot and u.id > ${after}`,
    ...(role === undefined ? [] : [sql`u.role = ${role}`]),
    ...(isActive === undefined ? [] : [sql`u.is_active = ${isActive}`]),
    ...(isBot === undefined ? [] : [sql`u.is_bot = ${isBot}`]),
    ...(text === undefined ? [] : [sql`position(lower(${text}) in lower(u.full_name || ' ' || u.delivery_email)) > 0`]),
  ];
  const { rows } = await sql<ListedUser>`
    select ${columns} where ${sql.join(conditions, sql` and `)} order by u.id limit ${limit}`.execute(db);
  return rows;
}

export interface UserDetails extends ListedUser {
  can_create_users: boolean;
  can_change_user_emails: boolean;
  has_password: boolean;
  bot_owner_id: number | null;
  bots: number;
  browser_sessions: number;
  api_keys: number;
  devices: number;
  channels: number;
  groups: string[];
  messages: number;
  file_bytes: number;
}

export async function showUser(db: Db, id: number): Promise<UserDetails> {
  const { rows } = await sql<UserDetails>`
    select u.can_create_users, u.can_change_user_emails, u.password_hash is not null as has_password, u.bot_owner_id,
      (select count(*) from users b where b.realm_id = u.realm_id and b.bot_owner_id = u.id and b.is_active) as bots,
      (select count(*) from browser_sessions s where s.user_id = u.id and s.expires_at > now()) as browser_sessions,
      (select count(*) from api_keys k where k.user_id = u.id) as api_keys,
      (select count(*) from push_devices d where d.user_id = u.id) as devices,
      (select count(*) from subscriptions s where s.user_id = u.id and s.active) as channels,
      (select coalesce(array_agg(g.name order by g.name), '{}') from user_group_members m
        join user_groups g on g.id = m.group_id and g.name is not null and not g.deactivated
        where m.user_id = u.id) as groups,
      (select count(*) from messages m where m.sender_id = u.id) as messages,
      coalesce((select bytes from user_upload_space s where s.user_id = u.id), 0) as file_bytes,
      ${columns} where u.id = ${id}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error(`there is no account ${id}`);
  return row;
}
