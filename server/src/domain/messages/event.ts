/** The message event: one record in the log, shaped for each queue according to its options and its user. */
import type { EmittedEvent } from "../../events/log-format.ts";
import { isSilencedFor, receives } from "../../events/live-users.ts";
import type { EventShape, Queue } from "../../events/queue.ts";
import { resolvedMark } from "../channels/topics/resolved.ts";
import { asUnknownUser, messageFields, type MessageSender, type MessageSource } from "./object.ts";

/** As stored in the log. */
export interface LoggedMessage extends EmittedEvent {
  type: "message";
  source: MessageSource;
  /** The sender has read it. */
  sender_read?: true;
  /** If present, everybody but these has read it. */
  unread_by?: number[];
  /** Users it mentions. */
  mentioned?: number[];
  /** Bots it mentions that are not in the channel; they receive it because of the mention. */
  called?: number[];
  /** It mentions the whole channel. */
  mentions_channel?: true;
  /** If it mentions the whole topic: the topic's participants. */
  topic_participants?: number[];
  /** Guests who receive it but cannot see the sender. */
  hidden_from?: number[];
  /** Users for whom it contains an alert word. */
  alerted?: number[];
  /** Local echo: the queue it was sent from, and the client's own id for the message. */
  local?: { queue: string; id: string };
  /** The span in which it was committed, if it is traced; for the relay, not for clients. */
  traceparent?: string;
}

/** The fields the database does not add itself; see send-statements.ts. */
export type LoggedMessageFields = Pick<
  LoggedMessage,
  | "sender_read"
  | "unread_by"
  | "hidden_from"
  | "mentioned"
  | "mentions_channel"
  | "topic_participants"
  | "alerted"
  | "local"
  | "traceparent"
>;

const isMessage = (event: EmittedEvent): event is LoggedMessage => event.type === "message";

function flagsFor(event: LoggedMessage, { user }: Queue): string[] {
  const { source } = event;
  const userId = user.id;
  const flags: string[] = [];
  const isOutside = "channel" in source.conversation && !receives(user, source.conversation.id, source.id);
  // Messages of channels the user is not subscribed to are never unread.
  if (isOutside && event.called?.includes(userId)) return ["read", "mentioned"];
  const isReadByUser = event.sender_read && source.sender.id === userId;
  const isReadFromStart = event.unread_by !== undefined && !event.unread_by.includes(userId);
  if (isReadByUser || isReadFromStart || isSilencedFor(user, source.sender.id, source.id)) flags.push("read");
  // A queue that gets the message only through `all_public_streams` has no flags on it.
  if (isOutside) return flags;
  if (event.mentioned?.includes(userId)) flags.push("mentioned");
  if (event.mentions_channel) flags.push("stream_wildcard_mentioned");
  const isParticipant = event.topic_participants?.includes(userId) ?? false;
  if (isParticipant) flags.push("topic_wildcard_mentioned");
  if (event.alerted?.includes(userId)) flags.push("has_alert_word");
  if (event.mentions_channel || isParticipant) flags.push("wildcard_mentioned");
  return flags;
}

const isHiddenFrom = ({ hidden_from }: LoggedMessage, { user }: Queue): boolean =>
  hidden_from?.includes(user.id) ?? false;

const shownSender = (event: LoggedMessage, queue: Queue): MessageSender =>
  isHiddenFrom(event, queue) ? asUnknownUser(event.source.sender, queue.user.host) : event.source.sender;

/** The event filter of a registration. All of its terms must match. */
function isInNarrow(event: LoggedMessage, queue: Queue): boolean {
  const { source } = event;
  const isChannel = "channel" in source.conversation;
  return queue.options.narrow.every(([operator, operand]) => {
    const value = operand.toLowerCase();
    switch (operator) {
      case "channel":
      case "stream":
        return "channel" in source.conversation && source.conversation.channel.name.toLowerCase() === value;
      case "topic":
        return isChannel && source.topic.toLowerCase() === value;
      case "sender":
        return shownSender(event, queue).email.toLowerCase() === value;
      case "is":
        if (value === "dm" || value === "private") return !isChannel;
        if (value === "unread") return !flagsFor(event, queue).includes("read");
        if (value === "mentioned" || value === "alerted")
          return flagsFor(event, queue).some((flag) => flag.endsWith("mentioned"));
        if (value === "resolved") return isChannel && source.topic.startsWith(resolvedMark);
        return false;
      default:
        return false;
    }
  });
}

const wrongType = () => new Error("messageShape got an event of another type");

export const messageShape: EventShape = {
  variant(event, queue) {
    if (!isMessage(event)) throw wrongType();
    const { options, user } = queue;
    if (options.narrow.length > 0 && !isInNarrow(event, queue)) return "outside";
    const form =
      (options.apply_markdown ? "h" : "m") +
      (options.client_gravatar ? "g" : "") +
      (options.empty_topic_name ? "e" : "");
    const stranger = isHiddenFrom(event, queue) ? "s" : "";
    const isSender = event.source.sender.id === user.id;
    const hasFlags =
      event.unread_by ?? event.mentioned ?? event.mentions_channel ?? event.topic_participants ?? event.alerted;
    if (!isSender && !hasFlags && !user.silenced.has(event.source.sender.id)) return form + stranger;
    const local = event.local?.queue === queue.id ? "l" : "";
    return `${form}${stranger}|${flagsFor(event, queue).join()}|${local}`;
  },
  shape(event, queue) {
    if (!isMessage(event)) throw wrongType();
    if (queue.options.narrow.length > 0 && !isInNarrow(event, queue)) return undefined;
    const local = event.local?.queue === queue.id ? event.local.id : undefined;
    return {
      type: "message",
      message: messageFields({ ...event.source, sender: shownSender(event, queue) }, queue.options),
      flags: flagsFor(event, queue),
      ...(local === undefined ? {} : { local_message_id: local, local_id: local }),
    };
  },
};
