/** The message event: one record in the log, shaped for each queue by what it asked for and by whose it is. */
import type { EmittedEvent } from "../../events/log-format.ts";
import { isSilencedFor, receives } from "../../events/live-users.ts";
import type { EventShape, Queue } from "../../events/queue.ts";
import { resolvedMark } from "../topics/resolved.ts";
import { messageFields, type MessageSource } from "./object.ts";

/** As it travels in the log. */
export interface LoggedMessage extends EmittedEvent {
  type: "message";
  source: MessageSource;
  /** The sender has read it. */
  sender_read?: true;
  /** Those it mentions. */
  mentioned?: number[];
  /** Bots it mentions that are not in the channel, and are told of it for that. */
  called?: number[];
  /** It mentions the whole channel. */
  mentions_channel?: true;
  /** It mentions the whole topic, and these take part in it. */
  topic_participants?: number[];
  /** Those alerted by a word of it. */
  alerted?: number[];
  /** Local echo: the queue it was sent from, and the client's own name for the message. */
  local?: { queue: string; id: string };
}

/** What the database's part of the event does not cover; see send-statements.ts. */
export type LoggedMessageFields = Pick<
  LoggedMessage,
  "sender_read" | "mentioned" | "mentions_channel" | "topic_participants" | "alerted" | "local"
>;

const isMessage = (event: EmittedEvent): event is LoggedMessage => event.type === "message";

function flagsFor(event: LoggedMessage, { user }: Queue): string[] {
  const { source } = event;
  const userId = user.id;
  const flags: string[] = [];
  const isOutside = "channel" in source.conversation && !receives(user, source.conversation.id, source.id);
  // Nothing is unread in a channel one is not in.
  if (isOutside && event.called?.includes(userId)) return ["read", "mentioned"];
  const isReadByUser = event.sender_read && source.sender.id === userId;
  if (isReadByUser || isSilencedFor(user, source.sender.id, source.id)) flags.push("read");
  // Who is shown a message for asking for all public channels has no flags on it.
  if (isOutside) return flags;
  if (event.mentioned?.includes(userId)) flags.push("mentioned");
  if (event.mentions_channel) flags.push("stream_wildcard_mentioned");
  const isParticipant = event.topic_participants?.includes(userId) ?? false;
  if (isParticipant) flags.push("topic_wildcard_mentioned");
  if (event.alerted?.includes(userId)) flags.push("has_alert_word");
  if (event.mentions_channel || isParticipant) flags.push("wildcard_mentioned");
  return flags;
}

/** The event filter of a registration. Every pair must hold. */
function isInNarrow(event: LoggedMessage, queue: Queue): boolean {
  const { source } = event;
  const isChannel = "channel" in source.conversation;
  return queue.options.narrow.every(([operator, operand]) => {
    const wanted = operand.toLowerCase();
    switch (operator) {
      case "channel":
      case "stream":
        return "channel" in source.conversation && source.conversation.channel.name.toLowerCase() === wanted;
      case "topic":
        return isChannel && source.topic.toLowerCase() === wanted;
      case "sender":
        return source.sender.email.toLowerCase() === wanted;
      case "is":
        if (wanted === "dm" || wanted === "private") return !isChannel;
        if (wanted === "unread") return !flagsFor(event, queue).includes("read");
        if (wanted === "mentioned" || wanted === "alerted")
          return flagsFor(event, queue).some((flag) => flag.endsWith("mentioned"));
        if (wanted === "resolved") return isChannel && source.topic.startsWith(resolvedMark);
        return false;
      default:
        return false;
    }
  });
}

const noMessage = () => new Error("the shape of messages was asked to shape something else");

export const messageShape: EventShape = {
  variant(event, queue) {
    if (!isMessage(event)) throw noMessage();
    const { options, user } = queue;
    if (options.narrow.length > 0 && !isInNarrow(event, queue)) return "outside";
    const form =
      (options.apply_markdown ? "h" : "m") +
      (options.client_gravatar ? "g" : "") +
      (options.empty_topic_name ? "e" : "");
    const isSender = event.source.sender.id === user.id;
    const hasFlags = event.mentioned ?? event.mentions_channel ?? event.topic_participants ?? event.alerted;
    if (!isSender && !hasFlags && !user.silenced.has(event.source.sender.id)) return form;
    const local = event.local?.queue === queue.id ? "l" : "";
    return `${form}|${flagsFor(event, queue).join()}|${local}`;
  },
  shape(event, queue) {
    if (!isMessage(event)) throw noMessage();
    if (queue.options.narrow.length > 0 && !isInNarrow(event, queue)) return undefined;
    const local = event.local?.queue === queue.id ? event.local.id : undefined;
    return {
      type: "message",
      message: messageFields(event.source, queue.options),
      flags: flagsFor(event, queue),
      ...(local === undefined ? {} : { local_message_id: local, local_id: local }),
    };
  },
};
