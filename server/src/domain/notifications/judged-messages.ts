/**
 * Loads messages just before a notification is sent: the content to show and the facts that the rule needs come from one
 * statement, so that nothing is shown that the rule has not checked.
 */
import { sql } from "kysely";
import type { Realm } from "../../identity/account.ts";
import type { Db } from "../../platform/db/connect.ts";
import { spelledTopic } from "../channels/topics/spelling.ts";
import type { Pictured } from "../people/users/avatar.ts";
import { nobodySeesAddress } from "../people/users/email.ts";
import { hiddenFrom } from "../people/users/guest-view.ts";
import { unknownUserName } from "../people/users/queries.ts";
import { factColumns, factJoins } from "./facts.ts";
import { notificationsDue, type Facts, type Notifications } from "./rule.ts";

export interface Person {
  id: number;
  full_name: string;
}

export interface JudgedMessage {
  id: number;
  date_sent: Date;
  rendered_content: string;
  is_me_message: boolean;
  sender: Pictured & Person;
  conversation_id: number;
  topic_id: number | null;
  /** Null for a direct message, which has other parties. */
  channel: { stream_id: number; name: string } | null;
  topic: string;
  parties: Person[];
  due: Notifications;
}

export interface Reader {
  id: number;
  delivery_email: string;
  settings: unknown;
  timezone: string;
  realm: Pick<Realm, "id" | "host" | "name" | "string_id">;
  /** Whether the same e-mail address has accounts in other organizations. */
  is_elsewhere: boolean;
}

/** The user to notify; undefined if the account or its organization is deactivated. */
export async function findReader(db: Db, userId: number): Promise<Reader | undefined> {
  const { rows } = await sql<Reader>`
    select u.id, u.delivery_email, u.settings, u.timezone,
      json_build_object('id', r.id, 'host', r.host, 'name', r.name, 'string_id', r.string_id) as realm,
      exists (
        select from users other join realms their on their.id = other.realm_id and not their.deactivated
        where lower(other.delivery_email) = lower(u.delivery_email) and other.id <> u.id and other.is_active
      ) as is_elsewhere
    from users u join realms r on r.id = u.realm_id
    where u.id = ${userId} and u.is_active and not u.is_bot and not r.deactivated`.execute(db);
  return rows[0];
}

/** In the order they were sent, without deleted ones. */
export async function judgeMessages(db: Db, userId: number, messageIds: readonly number[]): Promise<JudgedMessage[]> {
  const { rows } = await sql<Facts & Omit<JudgedMessage, "due"> & { reader_role: number; realm_id: number }>`
    select m.id, m.realm_id, u.role as reader_role, m.date_sent, m.rendered_content, m.is_me_message, m.conversation_id, m.topic_id,
      case when c.id is not null then json_build_object('stream_id', c.id, 'name', c.name) end as channel,
      coalesce(${sql.raw(spelledTopic)}, '') as topic, ${sql.raw(pictured)} as sender,
      case when c.id is null then coalesce((
        select json_agg(json_build_object('id', party.id, 'full_name', party.full_name) order by party.id)
        from participations taking join users party on party.id = taking.user_id
        where taking.conversation_id = m.conversation_id and party.id <> u.id), '[]') else '[]' end as parties,
      ${sql.raw(factColumns)}
    from (
      select id as message_id, ${userId}::bigint as user_id from unnest(${messageIds}::bigint[]) as id
    ) as pairs ${sql.raw(factJoins)} left join topics t on t.id = m.topic_id
    order by m.id`.execute(db);
  const [first] = rows;
  const hidden = first
    ? await hiddenFrom(
        db,
        { id: userId, role: first.reader_role, realm_id: first.realm_id },
        rows.map((row) => row.sender.id),
      )
    : new Set();
  return rows.map((row) => ({
    ...row,
    sender: hidden.has(row.sender.id) ? { ...row.sender, ...stranger } : row.sender,
    due: notificationsDue(row),
  }));
}

/** What a notification shows for a sender whom the reader may not see. */
const stranger = {
  full_name: unknownUserName,
  email_address_visibility: nobodySeesAddress,
  avatar_source: "G",
  avatar_key: null,
};

const pictured = `json_build_object(${[
  "id",
  "full_name",
  "delivery_email",
  "email_address_visibility",
  "is_bot",
  "avatar_source",
  "avatar_version",
  "avatar_key",
]
  .map((column) => `'${column}', sender.${column}`)
  .join(", ")})`;
