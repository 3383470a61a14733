/**
 * What a move does with every table. All tables with a column `realm_id` are copied unless they are named here, and a test
 * fails for a table without that column that is not named here: a future table cannot be forgotten.
 */
import type pg from "pg";

/**
 * Copied while the organization lives: they can be large, and nothing acts on their rows as long as the organization itself
 * is not there. By the column with the message's id, by which changes are noted.
 */
export const largeTables: Readonly<Record<string, string>> = {
  messages: "id",
  message_search: "message_id",
  message_flags: "message_id",
  message_edits: "message_id",
  reactions: "message_id",
  submessages: "message_id",
  attachment_messages: "message_id",
};

const counted = "triggers count anew in the other cell";
const staged = "rows of an import under way; no move begins before it ends";

/** Tables with a column `realm_id` that are not copied, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  channel_subscriber_counts: counted,
  event_queues: "clients register again",
  realm_moves: "about the move itself",
  realm_move_changes: "about the move itself",
  import_emoji: staged,
  import_files: staged,
  import_followers: staged,
  import_messages: staged,
  import_order: staged,
  import_people: staged,
  import_places: staged,
  import_read_states: staged,
  import_threads: staged,
  import_topics: staged,
  import_unread: staged,
};

/** Tables without a column `realm_id` that hold rows of organizations; SQL for a row `t` of organization $. */
export const othersOfRealm: Readonly<Record<string, string>> = {
  realms: "t.id = $",
  resumable_upload_parts: "t.upload_id in (select id from resumable_uploads where realm_id = $)",
  user_upload_space: "t.user_id in (select id from users where realm_id = $)",
};

/** The tables of the server itself. */
export const ofServer: Readonly<Record<string, string>> = {
  cell: "which cell it is",
  clients: "mapped by name",
  event_log: "each cell has a log of its own",
  fetched_images: "a cache",
  import_ids: "each cell has a range of its own",
  job_workers: "its processes",
  link_previews: "a cache",
  maintenance: "its mode",
  notification_progress: "whoever moves waits for it",
  pending_files: "files that no row refers to yet",
  realm_deletions: "no organization that is being deleted moves",
  schema_backfills: "the same in both cells",
  schema_migrations: "the same in both cells",
  search_progress: "whoever moves indexes the rest",
  setup_tokens: "for a server without organizations",
  web_releases: "its files",
};

/** Not refused while the organization is frozen: nodes write presence for many organizations in one statement. */
export const unguarded: readonly string[] = ["presences"];

/** Written by workers about messages that are there already, so they are frozen a moment later than the others. */
export const notificationTables: readonly string[] = ["missed_messages", "missed_message_batches", "pushes"];

/** Rows that workers act on. They are deleted in the cell that the organization has left. */
export const actingTables: readonly string[] = [
  ...notificationTables,
  "webhook_deliveries",
  "audit_destinations",
  "ldap_syncs",
  "subscription_notices",
  "reminders",
  "scheduled_messages",
];

export interface MovedTable {
  name: string;
  columns: string[];
  /** SQL for the rows of the organization, as `t`. */
  condition: string;
  /** References `clients`. */
  clientColumns: string[];
}

/** All tables with rows to copy: large ones first, and last those that are found through another one. */
export async function listTables(client: pg.Client, realmId: number): Promise<MovedTable[]> {
  const { rows } = await client.query<{
    name: string;
    columns: string[];
    has_realm: boolean;
    client_columns: string[];
  }>(`
    select c.relname as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns,
      bool_or(a.attname = 'realm_id') as has_realm,
      coalesce(array_agg(quote_ident(a.attname)) filter (where a.attname = 'client_id' and a.atttypid = 'integer'::regtype), '{}')
        as client_columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by c.relname order by c.relname`);
  const tables = rows.flatMap(({ name, columns, has_realm, client_columns }): MovedTable[] => {
    const other = othersOfRealm[name];
    if (other === undefined && (!has_realm || name in leftOut)) return [];
    const condition = other === undefined ? `t.realm_id = ${realmId}` : other.replace("$", String(realmId));
    return [{ name, columns, condition, clientColumns: client_columns }];
  });
  const large = Object.keys(largeTables);
  const rank = ({ name }: MovedTable): number => {
    if (name in largeTables) return large.indexOf(name);
    return name in othersOfRealm ? large.length + 1 : large.length;
  };
  return tables.toSorted((one, other) => rank(one) - rank(other));
}

/** SQL for the organization of each kind of job, from its payload `p`; null: of the server, stays where it is. */
export const realmOfJob: Readonly<Record<string, string | null>> = {
  "announce-release": null,
  "apply retention": null,
  backfill: null,
  "clean-up-pushes": null,
  "delete sent messages": "(p->>'realmId')::bigint",
  "delete-realm": null,
  "deliver mail": "(p->>'realm_id')::bigint",
  "deliver-missed-messages": "(select realm_id from users where id = (p->>'user_id')::bigint)",
  "deliver-reminder": "(select realm_id from reminders where id = (p->>'id')::bigint)",
  "deliver-scheduled-message": "(select realm_id from scheduled_messages where id = (p->>'id')::bigint)",
  "deliver-webhook": "(select realm_id from users where id = (p->>'bot_id')::bigint)",
  "fail-lost-exports": null,
  "forget incoming deliveries": null,
  "greet newcomer": "(select realm_id from users where id = (p->>'userId')::bigint)",
  // No move begins before an import in the browser has ended.
  "inspect-import": null,
  "make-export": "(select realm_id from realm_exports where id = (p->>'id')::bigint)",
  "preview links": "(p->>'realm_id')::bigint",
  "promote full members": "(p->>'realmId')::bigint",
  "push-to-device": "(select realm_id from push_devices where id = (p->>'device_id')::bigint)",
  "refresh channel activity": "(p->>'realmId')::bigint",
  "remove stored files": null,
  "run-import": null,
  "send subscription notices": "(select realm_id from subscription_notices where id = (p->>'id')::bigint)",
  "sweep-imports": null,
  "sweep-merged-account": "(select realm_id from users where id = (p->>'from')::bigint)",
  "trim fetched content": null,
};
