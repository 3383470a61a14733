/** Everything an import leaves in an organization, without ids: two that imported the same have the same. */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import { uploadKey } from "../src/domain/messages/uploads/file-name.ts";
import type { TestRealm } from "./realm.ts";

export async function importedState(realm: TestRealm): Promise<Record<string, unknown[]>> {
  const { db, files } = realm.ctx;
  const { id, admin } = realm;
  const isImported = sql`u.id <> ${admin.id} and not u.is_system_bot`;
  const list = async (query: ReturnType<typeof sql>): Promise<unknown[]> => (await query.execute(db)).rows;
  const numbered = sql`(select m.*, row_number() over (order by m.id) as n from messages m, import_ids
    where m.realm_id = ${id} and m.id < import_ids.end_id)`;
  const people = sql`users u where u.realm_id = ${id} and ${isImported}`;
  /** Numbers of messages that are or are not in ranges of ids that a person has. */
  const ranges = (table: string, column: string, ids: string, isIn: boolean) => sql`
    select u.delivery_email, string_agg(m.n::text, ' ' order by m.n) as messages
    from ${sql.table(table)} s join users u on u.id = s.user_id join ${numbered} m on m.conversation_id = s.${sql.ref(column)}
    where s.realm_id = ${id} and ${isImported} and (s.${sql.ref(ids)} @> m.id) = ${isIn}
    group by u.delivery_email, m.conversation_id order by 1, min(m.n)`;
  const attachments = await sql<{ path_id: string; file: string; messages: string }>`
    select a.path_id, concat_ws(' ', a.file_name, a.size, a.content_type, u.full_name) as file,
      (select string_agg(m.n::text, ' ' order by m.n) from attachment_messages am join ${numbered} m on m.id = am.message_id
        where am.attachment_id = a.id) as messages
    from attachments a join users u on u.id = a.owner_id where a.realm_id = ${id} order by a.file_name, messages`.execute(
    db,
  );
  return {
    people: await list(
      sql`select u.full_name, u.delivery_email, u.role, u.is_active, u.is_bot from ${people} order by 2`,
    ),
    channels: await list(sql`
      select c.name, c.description, c.invite_only, c.is_archived, c.date_created, f.n as first,
        (select string_agg(u.delivery_email, ' ' order by u.delivery_email) from subscriptions s join users u on u.id = s.user_id
          where s.channel_id = c.id and s.active and ${isImported}) as members
      from channels c left join ${numbered} f on f.id = c.first_message_id where c.realm_id = ${id} order by c.name`),
    messages: (
      (await list(sql`
        select m.n, c.name as channel, t.name as topic, u.full_name as sender, m.content, m.date_sent,
          (select string_agg(concat_ws(' ', r.emoji_name, p.full_name), ',' order by r.emoji_name, p.full_name)
            from reactions r join users p on p.id = r.user_id where r.message_id = m.id) as reactions,
          (select string_agg(concat_ws(' ', f.starred, f.mentioned, p.full_name), ',' order by p.full_name)
            from message_flags f join users p on p.id = f.user_id where f.message_id = m.id) as flags,
          (select count(*) from message_edits e where e.message_id = m.id) as edits,
          exists (select from message_search w where w.message_id = m.id) as is_indexed
        from ${numbered} m join users u on u.id = m.sender_id left join channels c on c.id = m.conversation_id
          left join topics t on t.id = m.topic_id order by m.n`)) as { content: string }[]
    ).map((row) => ({ ...row, content: withoutIds(row.content) })),
    topics: await list(sql`
      select c.name as channel, t.name, (select string_agg(concat_ws(' ', p.full_name, v.visibility_policy), ',' order by p.full_name)
        from user_topics v join users p on p.id = v.user_id where v.topic_id = t.id) as followed
      from topics t join channels c on c.id = t.channel_id where t.realm_id = ${id} order by 1, 2`),
    unreadInChannels: await list(ranges("subscriptions", "channel_id", "read", false)),
    receivedInChannels: await list(ranges("subscriptions", "channel_id", "received", true)),
    unreadDirect: await list(ranges("participations", "conversation_id", "read", false)),
    files: await Promise.all(
      attachments.rows.map(async ({ path_id, file, messages }) => {
        const bytes = (await files.get(uploadKey(path_id)))?.bytes ?? "missing";
        return { file, messages, bytes: createHash("sha256").update(bytes).digest("hex") };
      }),
    ),
  };
}

/** Texts contain ids in links and mentions. */
const withoutIds = (content: string): string =>
  content.replaceAll(/\/user_uploads\/[^)]*\//g, "/…/").replaceAll(/\/near\/\d+|\|\d+\*\*|channel\/\d+/g, "#");
