/** Organizations that differ only in size: users, channels and messages, inserted in bulk. */
import { sql } from "kysely";
import { newRealm, type TestRealm, type TestUser } from "../realm.ts";
import { channelOf, sendToChannel, type TestChannel } from "../actions.ts";

export interface Size {
  users: number;
  channels: number;
  messages: number;
}

export interface Organization {
  realm: TestRealm;
  owner: TestUser;
  member: TestUser;
  /** All users are subscribed. */
  channel: TestChannel;
  /** A message in it. */
  messageId: number;
}

/** Uses the realm's nodes: measured calls run on the second. */
export async function newOrganization(nodes: TestRealm["nodes"], size: Size): Promise<Organization> {
  const [first, ...others] = nodes;
  if (!first) throw new Error("an organization needs a node");
  const realm = await newRealm([first, ...others]);
  const member = await realm.user("member");
  const channel = await channelOf([realm.admin, member], "everybody");
  const messageId = await sendToChannel(realm.admin, channel);
  const { db } = realm.ctx;
  await sql`
    insert into users (realm_id, delivery_email, full_name)
    select ${realm.id}, 'user' || n || '@' || ${realm.host}, 'User ' || n from generate_series(1, ${size.users}) n`.execute(
    db,
  );
  await sql`
    with groups as (
      select max(id) filter (where name = 'role:nobody') as nobody, max(id) filter (where name = 'role:everyone') as everyone
      from user_groups where realm_id = ${realm.id}
    ), conversation as (
      insert into conversations (realm_id) select ${realm.id} from generate_series(1, ${size.channels}) returning id
    )
    insert into channels (id, realm_id, name, can_add_subscribers_group_id, can_administer_channel_group_id,
      can_remove_subscribers_group_id, can_send_message_group_id, can_subscribe_group_id)
    select c.id, ${realm.id}, 'channel ' || c.id, everyone, nobody, nobody, everyone, nobody
    from conversation c, groups`.execute(db);
  await sql`
    insert into subscriptions (user_id, channel_id, realm_id, received, color)
    select u.id, ${channel.id}, ${realm.id}, '{[1,)}', '#76ce90' from users u
    where u.realm_id = ${realm.id} and not u.is_system_bot
    on conflict do nothing`.execute(db);
  // The two acting users are in every channel; each other user is in one more.
  await sql`
    insert into subscriptions (user_id, channel_id, realm_id, received, color)
    select u.id, c.id, ${realm.id}, '{[1,)}', '#76ce90'
    from channels c join users u on u.realm_id = c.realm_id and not u.is_system_bot
      and (u.id = any(${[realm.admin.id, member.id]}::bigint[]) or u.id % ${size.channels} = c.id % ${size.channels})
    where c.realm_id = ${realm.id}
    on conflict do nothing`.execute(db);
  // Each channel has a topic, and the messages are spread over them.
  await sql`
    with made as (
      insert into topics (realm_id, channel_id, name)
      select realm_id, id, 'talk' from channels where realm_id = ${realm.id} and id <> ${channel.id}
      returning id, channel_id
    ), places as (select id, channel_id, row_number() over (order by channel_id) as number from made)
    insert into messages (realm_id, conversation_id, topic_id, sender_id, client_id, content, rendered_content)
    select m.realm_id, p.channel_id, p.id, m.sender_id, m.client_id, m.content, m.rendered_content
    from generate_series(1, ${size.messages}) n join places p on p.number = n % ${size.channels} + 1
      join messages m on m.id = ${messageId}`.execute(db);
  await sql`analyze users, channels, subscriptions, messages, conversations`.execute(db);
  return { realm, owner: realm.admin, member, channel, messageId };
}
