/**
 * Shapes events about a user's own subscriptions for a queue: subscribers only if requested, null replaced by the actual
 * value unless the client supports null, and archived channels only if requested.
 */
import type { SubscriptionObject } from "@skein/api/subscriptions.ts";
import type { EmittedEvent } from "../../../events/log-format.ts";
import type { EventShape } from "../../../events/queue.ts";
import { forQueue } from "../event-shapes.ts";
import { withoutNulls, type NotificationDefaults } from "./notifications.ts";

/** The event as stored in the log. */
export interface SubscriptionsAdded extends EmittedEvent {
  type: "subscription";
  op: "add";
  subscriptions: SubscriptionObject[];
  defaults: NotificationDefaults;
}

/** The same for a setting: `fallback` replaces null. */
export interface SubscriptionUpdated extends EmittedEvent {
  type: "subscription";
  op: "update";
  value: unknown;
  fallback?: boolean;
}

const isAdded = (event: EmittedEvent): event is SubscriptionsAdded => event.op === "add";
const isUpdated = (event: EmittedEvent): event is SubscriptionUpdated => event.op === "update";

const subscriptionShape: EventShape = {
  variant(event, { options }) {
    // Any event may exist in two versions, one for each kind of queue.
    if (!isAdded(event) && !isUpdated(event)) return event["only"] === undefined ? "" : `${options.archived_channels}`;
    return [options.include_subscribers, options.notification_settings_null, options.archived_channels].join();
  },
  shape(emitted, queue) {
    const { options } = queue;
    const event = forQueue(emitted, queue);
    if (!event) return undefined;
    if (isUpdated(event)) {
      const { fallback, ...rest } = event;
      return options.notification_settings_null ? rest : { ...rest, value: event.value ?? fallback };
    }
    if (!isAdded(event)) return event;
    const { defaults, ...rest } = event;
    const subscriptions = event.subscriptions.filter((own) => options.archived_channels || !own.is_archived);
    if (subscriptions.length === 0) return undefined;
    return {
      ...rest,
      subscriptions: subscriptions.map((subscription) => {
        const { subscribers, ...own } = subscription;
        const filled = options.notification_settings_null ? own : withoutNulls(own, defaults);
        return options.include_subscribers ? { ...filled, subscribers } : filled;
      }),
    };
  },
};

export const subscriptionShapes: [string, EventShape][] = [["subscription", subscriptionShape]];
