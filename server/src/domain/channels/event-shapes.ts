/**
 * Only queues that asked for archived channels receive them. Other queues receive no events about an archived channel,
 * and some changes emit two events, one for each kind of queue.
 */
import type { PlainChannel } from "@skein/api/channels.ts";
import type { EmittedEvent } from "../../events/log-format.ts";
import type { EventShape, Queue } from "../../events/queue.ts";

export type Kind = "shown archived channels" | "not shown archived channels";

/** Marks an event for one kind of queue only. */
export const forQueues = (only: Kind, event: EmittedEvent): EmittedEvent => ({ ...event, only });

const kindOf = ({ options }: Queue): Kind =>
  options.archived_channels ? "shown archived channels" : "not shown archived channels";

/** The event without its mark; undefined for queues of the other kind. */
export function forQueue(event: EmittedEvent, queue: Queue): EmittedEvent | undefined {
  const { only, ...rest } = event;
  return only === undefined || only === kindOf(queue) ? rest : undefined;
}

interface ChannelsCreated extends EmittedEvent {
  op: "create";
  streams: PlainChannel[];
}

const isCreation = (event: EmittedEvent): event is ChannelsCreated => event.op === "create";

const channelShape: EventShape = {
  variant: (_, queue) => kindOf(queue),
  shape(event, queue) {
    const shown = forQueue(event, queue);
    if (!shown || queue.options.archived_channels || !isCreation(shown)) return shown;
    const streams = shown.streams.filter((channel) => !channel.is_archived);
    return streams.length > 0 ? { ...shown, streams } : undefined;
  },
};

export const channelEventShapes: [string, EventShape][] = [["stream", channelShape]];
