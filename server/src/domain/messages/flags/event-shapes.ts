/** Clients without support for empty topics get the empty topic's display name in the details. */
import type { flagsRemoveEvent } from "@skein/api/flags.ts";
import type { z } from "zod";
import type { EventShape } from "../../../events/queue.ts";
import { shownTopic } from "../../channels/topics/name.ts";

type Details = NonNullable<z.output<typeof flagsRemoveEvent>["message_details"]>;

const flagShape: EventShape = {
  variant: (event, queue) => (event["message_details"] ? String(queue.options.empty_topic_name) : "all"),
  shape: (event, queue) => {
    // Emitted events have the declared shape.
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
