/**
 * What a queue is sent of its user's subscriptions: without the subscribers unless they were asked for, with what null
 * stands for unless the client knows of null, and nothing of archived channels unless they are shown.
 */
import type { SubscriptionObject } from "@skein/api/subscriptions.ts";
import type { EmittedEvent } from "../../events/log-format.ts";
import type { EventShape } from "../../events/queue.ts";
import { withoutKind } from "../channels/event-shapes.ts";
import { withoutNulls, type NotificationDefaults } from "./notifications.ts";

/** As it stands in the log. */
export interface SubscriptionsAdded extends EmittedEvent {
  type: "subscription";
  op: "add";
  subscriptions: SubscriptionObject[];
  defaults: NotificationDefaults;
}

/** The same of a setting: `fallback` is what null stands for. */
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
    // Of any event there may be one for each kind of queue.
    if (!isAdded(event) && !isUpdated(event)) return event["only"] === undefined ? "" : `${options.archived_channels}`;
    return [options.include_subscribers, options.notification_settings_null, options.archived_channels].join();
  },
  shape(emitted, queue) {
    const { options } = queue;
    const event = withoutKind(emitted, queue);
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
