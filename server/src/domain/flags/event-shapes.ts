/** Clients that do not know empty topics are told where a message stands under the empty topic's display name. */
import type { flagsRemoveEvent } from "@skein/api/flags.ts";
import type { z } from "zod";
import type { EventShape } from "../../events/queue.ts";
import { shownTopic } from "../messages/object.ts";

type Details = NonNullable<z.output<typeof flagsRemoveEvent>["message_details"]>;

const flagShape: EventShape = {
  variant: (event, queue) => (event["message_details"] ? String(queue.options.empty_topic_name) : "all"),
  shape: (event, queue) => {
    // What was emitted has the declared shape.
    const details = event["message_details"] as Details | undefined;
    if (!details || queue.options.empty_topic_name) return event;
    const shown = Object.entries(details).map(([id, { topic, ...rest }]) => [
      id,
      topic === undefined ? rest : { ...rest, topic: shownTopic(topic, queue.options) },
    ]);
    return { ...event, message_details: Object.fromEntries(shown) };
  },
};

export const flagEventShapes: [string, EventShape][] = [["update_message_flags", flagShape]];
