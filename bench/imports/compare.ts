/**
 * Compares what two organizations contain, whatever the ids. Each kind of row is described by a text without ids; kinds are
 * compared by the number of texts and the sum of their hashes. Numbers in texts of messages may be ids and are left out.
 */
import type { Stage } from "../stage.ts";

/** Parameter 1 is the organization. Messages that were not imported are left out. */
const imported = `
  select m.*, u.delivery_email as sender, coalesce(c.name, (
      select string_agg(p.delivery_email, ',' order by p.delivery_email)
      from users p where p.id = any(string_to_array(k.direct_key, ',')::bigint[]))) as place,
    t.name as topic
  from messages m join users u on u.id = m.sender_id join conversations k on k.id = m.conversation_id left join channels c on c.id = m.conversation_id
    left join topics t on t.id = m.topic_id
  where m.realm_id = $1 and m.id < 1000000000`;

/** The time of the first message of the channel from an id on. */
const timeOf = (bound: string) =>
  `coalesce((select m.date_sent::text from messages m where m.conversation_id = s.channel_id and m.id >= ${bound} order by m.id limit 1), 'end')`;

const ranges = (column: string) =>
  `select concat_ws('|', u.delivery_email, c.name, s.active, ${timeOf("lower(r)")}, ${timeOf("upper(r)")}) as text
  from subscriptions s join users u on u.id = s.user_id join channels c on c.id = s.channel_id, unnest(s.${column}) r
  where s.realm_id = $1 and lower(r) < 1000000000 and c.name not like 'channel %'`;

const kinds: Record<string, string> = {
  messages: `select concat_ws('|', sender, place, topic, date_sent, is_me_message, read_by_sender, traits,
      regexp_replace(content, '[0-9]+', '#', 'g'), regexp_replace(rendered_content, '[0-9]+', '#', 'g')) as text
    from (${imported}) m`,
  order: `select concat_ws('|', row_number() over (partition by place order by id), place, date_sent) as text from (${imported}) m`,
  searchable: `select concat_ws('|', m.place, m.date_sent, length(s.vector::text)) as text
    from (${imported}) m join message_search s on s.message_id = m.id`,
  reactions: `select concat_ws('|', m.place, m.date_sent, m.sender, p.delivery_email, r.emoji_name) as text
    from (${imported}) m join reactions r on r.message_id = m.id join users p on p.id = r.user_id`,
  flags: `select concat_ws('|', m.place, m.date_sent, m.sender, p.delivery_email, f.starred, f.mentioned) as text
    from (${imported}) m join message_flags f on f.message_id = m.id join users p on p.id = f.user_id`,
  people: `select concat_ws('|', delivery_email, full_name, role, is_active, is_bot) as text
    from users where realm_id = $1 and delivery_email not like 'user1@%'`,
  channels: `select concat_ws('|', name, description, invite_only, is_archived) as text
    from channels where realm_id = $1 and name not like 'channel %'`,
  received: ranges("received"),
  read: ranges("read"),
  attachments: "select concat_ws('|', file_name, size, content_type) as text from attachments where realm_id = $1",
  staged: "select source_id as text from import_messages where realm_id = $1",
  mapped: "select concat_ws('|', source, kind, source_id) as text from import_map where realm_id = $1",
};

/** One line for each kind that differs. */
export async function compareOrganizations({ pool, say }: Stage, one: number, other: number): Promise<string[]> {
  const differences: string[] = [];
  for (const [kind, texts] of Object.entries(kinds)) {
    const [first, second] = [await digest(pool, texts, one), await digest(pool, texts, other)];
    say(`${kind}: ${first}`);
    if (first !== second) differences.push(`${kind}: ${first} and ${second}`);
  }
  return differences;
}

async function digest(pool: Stage["pool"], texts: string, realm: number): Promise<string> {
  const { rows } = await pool.query<{ digest: string }>(
    `select count(*) || ' rows, hash ' || coalesce(sum(hashtextextended(text, 0)), 0) as digest from (${texts}) t`,
    [realm],
  );
  return rows[0]?.digest ?? "";
}
