/**
 * What a queue is sent when its user is subscribed: without the subscribers unless they were asked for, and with what
 * null stands for unless the client knows of null.
 */
import type { SubscriptionObject } from "@skein/api/subscriptions.ts";
import type { EmittedEvent } from "../../events/log-format.ts";
import type { EventShape } from "../../events/queue.ts";
import { withoutNulls, type NotificationDefaults } from "./notifications.ts";

/** As it stands in the log. */
export interface SubscriptionsAdded extends EmittedEvent {
  type: "subscription";
  op: "add";
  subscriptions: SubscriptionObject[];
  defaults: NotificationDefaults;
}

const isAdded = (event: EmittedEvent): event is SubscriptionsAdded => event.op === "add";

const subscriptionShape: EventShape = {
  variant(event, { options }) {
    if (!isAdded(event)) return "";
    return `${options.include_subscribers ? "subscribers" : ""},${options.notification_settings_null ? "null" : ""}`;
  },
  shape(event, { options }) {
    if (!isAdded(event)) return event;
    const { defaults, ...rest } = event;
    return {
      ...rest,
      subscriptions: event.subscriptions.map((subscription) => {
        const { subscribers, ...own } = subscription;
        const filled = options.notification_settings_null ? own : withoutNulls(own, defaults);
        return options.include_subscribers ? { ...filled, subscribers } : filled;
      }),
    };
  },
};

export const subscriptionShapes: [string, EventShape][] = [["subscription", subscriptionShape]];
