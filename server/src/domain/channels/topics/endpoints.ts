import { getTopics } from "@skein/api/topics.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { accessReadableChannel } from "../access.ts";
import { shownTopic } from "./name.ts";
import { listTopics } from "./queries.ts";

export const topicEndpoints: BoundEndpoint[] = [
  handle(getTopics, async ({ ctx, user, params }) => {
    const channel = await accessReadableChannel(ctx.db, user, { id: params.stream_id });
    const topics = await listTopics(ctx.db, user, channel);
    const form = { empty_topic_name: params.allow_empty_topic_name };
    return { topics: topics.map(({ name, max_id }) => ({ name: shownTopic(name, form), max_id })) };
  }),
];
