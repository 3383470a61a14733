/** Which topics a channel allows: any, only named ones, or only the empty one. */
import type { TopicsPolicy } from "@skein/api/channels.ts";
import { emptyTopicDisplayName } from "@skein/api/messages.ts";
import { sql } from "kysely";
import { ApiError, insufficientPermission } from "../../../errors.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { holdsRealmPermission } from "../../organization/permissions/held-permissions.ts";
import { isAdministrator, type Channel } from "../access.ts";

type HasPolicy = Pick<Channel, "topics_policy">;

/** The column holds no other values. */
export const topicsPolicyOf = (channel: HasPolicy): TopicsPolicy => channel.topics_policy as TopicsPolicy;

/** The organization's policy is stored as a boolean, which older releases know. */
export const realmTopicsPolicy = ({
  mandatory_topics,
}: Pick<Realm, "mandatory_topics">): "disable_empty_topic" | "allow_empty_topic" =>
  mandatory_topics ? "disable_empty_topic" : "allow_empty_topic";

const effectivePolicy = (realm: Pick<Realm, "mandatory_topics">, channel: HasPolicy) => {
  const policy = topicsPolicyOf(channel);
  return policy === "inherit" ? realmTopicsPolicy(realm) : policy;
};

/** Refuses a topic that the channel does not allow. The statement that sends has the same rule. */
export function accessTopic(realm: Pick<Realm, "mandatory_topics">, channel: HasPolicy, topic: string): void {
  const policy = effectivePolicy(realm, channel);
  if (topic === "" && policy === "disable_empty_topic")
    throw aboutEmptyTopic(`Sending messages to the ${emptyTopicDisplayName} is not allowed in this channel.`);
  if (topic !== "" && policy === "empty_topic_only")
    throw aboutEmptyTopic(`Only the ${emptyTopicDisplayName} topic is allowed in this channel.`);
}

/** Where the server's own bots write: their notices follow the policy without asking. */
export const noticeTopic = (channel: HasPolicy, topic: string): string =>
  topicsPolicyOf(channel) === "empty_topic_only" ? "" : topic;

const aboutEmptyTopic = (text: string) =>
  new ApiError(text, { data: { empty_topic_display_name: emptyTopicDisplayName } });

/** Refuses unless the user, who administers the channel, may give it this policy. */
export async function accessTopicsPolicy(tx: Tx, user: User, policy: TopicsPolicy): Promise<void> {
  if (policy === "inherit" || isAdministrator(user)) return;
  if (!(await holdsRealmPermission(tx, user, "can_set_topics_policy_group"))) throw insufficientPermission();
}

/** Refuses to leave only the empty topic to a channel that has messages in others. It is locked against new ones. */
export async function refuseOtherTopics(tx: Tx, channel: Pick<Channel, "id">): Promise<void> {
  const { rows } = await sql`
    select from topics t where t.channel_id = ${channel.id} and t.name <> ''
      and exists (select from messages m where m.topic_id = t.id) limit 1`.execute(tx);
  if (rows.length > 0)
    throw aboutEmptyTopic(
      `To enable this configuration, all messages in this channel must be in the ${emptyTopicDisplayName} topic. ` +
        "Consider renaming or deleting other topics.",
    );
}
