/**
 * Topic names are case-insensitive. A topic has one spelling, except where history is protected: there each message
 * keeps the spelling it was written with. Otherwise a newcomer could guess the name of a topic whose messages they
 * cannot read, write to it, and learn from the capitals of their own message that it exists.
 */
import type { Channel } from "../access.ts";

/** The spelling of a topic in something written to it. */
export const spellingIn = (
  channel: Pick<Channel, "history_public_to_subscribers">,
  topic: { name: string },
  written: string,
): string => (channel.history_public_to_subscribers ? topic.name : written);

/** SQL: the name of topic `t` as message `m` shows it; null for a direct message. */
export const spelledTopic = spelled("t.name", "null::bigint");

/** SQL: the name message `m` showed before the rename `e` of its topic. */
export const spelledTopicBefore = spelled("e.prev_topic", "e.id");

/** The call is skipped for the many messages without a spelling of their own. */
function spelled(name: string, before: string): string {
  return `(case when m.topic_spelling is null then ${name}
    else spelled_topic(m.topic_spelling, ${name}, m.topic_id, m.topic_since, m.id, ${before}) end)`;
}

/** SQL: the name of topic `t` for the user who chose a visibility policy `ut` for it. */
export const chosenSpelling =
  "(case when lower(ut.topic_spelling) = lower(t.name) then ut.topic_spelling else t.name end)";
