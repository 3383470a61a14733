/**
 * Taking part in a topic by other means than writing: a reaction, a vote. It makes the topic more visible to those whose
 * settings say that this counts.
 */
import { visibilityPolicies } from "@skein/api/user-topics.ts";
import type { SettingName } from "@skein/api/settings.ts";
import { sql } from "kysely";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { settingOf } from "../settings/state.ts";
import type { PlacedTopic } from "./access.ts";
import { setPolicy } from "./actions.ts";
import { hasMuted, when } from "./on-send.ts";

/** The message is one the user may read; a direct one has no topic. */
export async function makeVisibleToParticipant(tx: Tx, user: User, message: { id: number }): Promise<void> {
  const counts = (name: SettingName) => !user.is_bot && settingOf(user, name) === when.participating;
  const follows = counts("automatically_follow_topics_policy");
  if (!follows && !counts("automatically_unmute_topics_in_muted_streams_policy")) return;
  const topic = await findTopicOf(tx, user, message.id);
  if (!topic) return;
  if (follows) await setPolicy(tx, topic, [user.id], visibilityPolicies.followed, "automatic");
  else if (await hasMuted(tx, user, topic.channel.id))
    await setPolicy(tx, topic, [user.id], visibilityPolicies.unmuted, "automatic");
}

async function findTopicOf(tx: Tx, { realm_id }: User, messageId: number): Promise<PlacedTopic | undefined> {
  const { rows } = await sql<{ id: number; name: string; channel_id: number }>`
    select t.id, t.name, t.channel_id from messages m join topics t on t.id = m.topic_id
    where m.realm_id = ${realm_id} and m.id = ${messageId}`.execute(tx);
  const [topic] = rows;
  return topic && { id: topic.id, name: topic.name, channel: { id: topic.channel_id, realm_id } };
}
