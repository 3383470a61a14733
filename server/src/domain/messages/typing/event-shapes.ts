/** Typing events of channels go only to clients that requested them; and not all clients support the empty topic. */
import type { EmittedEvent } from "../../../events/log-format.ts";
import type { EventShape, Queue } from "../../../events/queue.ts";
import { shownTopic } from "../../channels/topics/name.ts";

/** As the endpoints emit it. */
interface ChannelTyping extends EmittedEvent {
  message_type: "stream";
  topic: string;
}

const isInChannel = (event: EmittedEvent): event is ChannelTyping => event["message_type"] === "stream";

const typingShape: EventShape = {
  variant: (_, { options }) => `${options.stream_typing_notifications} ${options.empty_topic_name}`,
  shape(event, { options }) {
    if (!isInChannel(event)) return event;
    if (!options.stream_typing_notifications) return undefined;
    return { ...event, topic: shownTopic(event.topic, options) };
  },
};

/** As the endpoint emits it. */
interface EditTyping extends EmittedEvent {
  recipient: { type: "channel"; topic: string } | { type: "direct" };
}

const editTypingShape: EventShape = {
  variant: (_, { options }: Queue) => String(options.empty_topic_name),
  shape(event, { options }) {
    const { recipient } = event as EditTyping;
    if (recipient.type === "direct") return event;
    return { ...event, recipient: { ...recipient, topic: shownTopic(recipient.topic, options) } };
  },
};

export const typingEventShapes: [string, EventShape][] = [
  ["typing", typingShape],
  ["typing_edit_message", editTypingShape],
];
