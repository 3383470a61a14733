/** The user's topic policies. Clients without support for the empty topic receive its display name. */
import { byPlace } from "@skein/api/state/order.ts";
import type { MutedTopics } from "@skein/api/user-topics.ts";
import type { EmittedEvent } from "../../../events/log-format.ts";
import type { EventShape, Queue } from "../../../events/queue.ts";
import type { StatePart } from "../../../events/state-part.ts";
import { shownTopic } from "../topics/name.ts";
import { listMutedTopics, listUserTopics } from "./queries.ts";

export const userTopicState: StatePart = {
  types: ["user_topic"],
  ownRows: { table: "user_topics", owner: "user_id", none: () => ({ user_topics: [] }) },
  load: async (db, { user, options }) => {
    const topics = await listUserTopics(db, user);
    const shown = topics.map((topic) => ({ ...topic, topic_name: shownTopic(topic.topic_name, options) }));
    return { user_topics: shown.toSorted(byPlace) };
  },
};

/** A client that requests the newer event type does not need the older one. */
const isReplaced = (types: { has: (type: string) => boolean } | undefined): boolean =>
  types?.has("user_topic") ?? false;

export const mutedTopicState: StatePart = {
  types: ["muted_topics"],
  ownRows: {
    table: "user_topics",
    owner: "user_id",
    none: ({ requestedTypes }) => (isReplaced(requestedTypes) ? {} : { muted_topics: [] }),
  },
  load: async (db, { user, options, requestedTypes }) => {
    if (isReplaced(requestedTypes)) return {};
    const muted = await listMutedTopics(db, user.realm_id, [user.id]);
    return { muted_topics: withShownTopics(muted.get(user.id) ?? [], options) };
  },
};

const withShownTopics = (muted: MutedTopics, form: { empty_topic_name: boolean }): MutedTopics =>
  muted.map(([channel, topic, time]) => [channel, shownTopic(topic, form), time]);

const userTopicShape: EventShape = {
  variant: (_, { options }) => String(options.empty_topic_name),
  // setPolicy emits the event; only its topic name depends on the client.
  shape: (event, { options }) => ({ ...event, topic_name: shownTopic(event["topic_name"] as string, options) }),
};

const mutedTopicsShape: EventShape = {
  variant: (_, { types, options }: Queue) => `${isReplaced(types)} ${options.empty_topic_name}`,
  shape: (event: EmittedEvent, { types, options }) =>
    isReplaced(types)
      ? undefined
      : { ...event, muted_topics: withShownTopics(event["muted_topics"] as MutedTopics, options) }, // made in actions.ts
};

export const userTopicEventShapes: [string, EventShape][] = [
  ["user_topic", userTopicShape],
  ["muted_topics", mutedTopicsShape],
];
