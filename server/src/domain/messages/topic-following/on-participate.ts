/**
 * Participating in a topic by other means than writing: a reaction, a vote. It makes the topic more visible to users
 * whose settings count that as participation.
 */
import { visibilityPolicies } from "@skein/api/user-topics.ts";
import type { SettingName } from "@skein/api/settings.ts";
import { sql } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { settingOf } from "../../people/settings/state.ts";
import type { TopicInChannel } from "../../channels/user-topics/access.ts";
import { spelledTopic } from "../../channels/topics/spelling.ts";
import { setPolicy } from "../../channels/user-topics/actions.ts";
import { hasMuted, participation } from "./on-send.ts";

/** The user may read the message; a direct message has no topic. */
export async function makeVisibleToParticipant(tx: Tx, user: User, message: { id: number }): Promise<void> {
  const counts = (name: SettingName) => !user.is_bot && settingOf(user, name) === participation.participating;
  const follows = counts("automatically_follow_topics_policy");
  if (!follows && !counts("automatically_unmute_topics_in_muted_streams_policy")) return;
  const topic = await findTopicOf(tx, user, message.id);
  if (!topic) return;
  if (follows) await setPolicy(tx, topic, [user.id], visibilityPolicies.followed, "automatic");
  else if (await hasMuted(tx, user, topic.channel.id))
    await setPolicy(tx, topic, [user.id], visibilityPolicies.unmuted, "automatic");
}

async function findTopicOf(tx: Tx, { realm_id }: User, messageId: number): Promise<TopicInChannel | undefined> {
  const { rows } = await sql<{ id: number; name: string; channel_id: number }>`
    select t.id, ${sql.raw(spelledTopic)} as name, t.channel_id from messages m join topics t on t.id = m.topic_id
    where m.realm_id = ${realm_id} and m.id = ${messageId}`.execute(tx);
  const [topic] = rows;
  return topic && { id: topic.id, name: topic.name, channel: { id: topic.channel_id, realm_id } };
}
