/** Every event a queue can deliver. */
import { z } from "zod";
import { channelEvents, defaultChannelsEvent } from "./channels.ts";
import { flagEvents } from "./flags.ts";
import { linkifiersEvent } from "./linkifiers.ts";
import { messageEvent } from "./messages.ts";
import { realmEvents } from "./realm.ts";
import { settingEvents } from "./settings.ts";
import { subscriptionEvents } from "./subscriptions.ts";
import { userGroupEvents } from "./user-groups.ts";
import { realmUserEvents } from "./users.ts";

export const heartbeatEvent = z.strictObject({ type: z.literal("heartbeat") });

export const eventSchemas = [
  heartbeatEvent,
  messageEvent,
  ...flagEvents,
  ...subscriptionEvents,
  ...channelEvents,
  defaultChannelsEvent,
  ...realmUserEvents,
  ...userGroupEvents,
  ...realmEvents,
  linkifiersEvent,
  ...settingEvents,
] as const;

/** An event as it is emitted. */
export const anyEvent = z.union(eventSchemas);
export type Event = z.output<typeof anyEvent>;
export type EventType = Event["type"];

/** An event as a queue delivers it: beside its id. */
export type QueuedEvent = Event & { id: number };

const idField = { id: z.int().describe("The event's place in the queue's order.") };
// A tuple loses its types when mapped over; each member is the event's schema with an id.
export const queuedEvent = z.union(eventSchemas.map((schema) => schema.extend(idField))) as unknown as z.ZodType<
  QueuedEvent,
  QueuedEvent
>;
