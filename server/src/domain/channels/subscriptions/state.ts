import type { StatePart } from "../../../events/state-part.ts";
import { notificationDefaults, withoutNulls } from "./notifications.ts";
import { listChannelsBySubscription } from "./queries.ts";

export const subscriptionState: StatePart = {
  types: ["subscription"],
  async load(db, { user, options }) {
    const lists = await listChannelsBySubscription(db, user, {
      archived: options.archived_channels,
      subscribers: options.include_subscribers,
    });
    if (options.notification_settings_null) return { ...lists };
    const defaults = notificationDefaults(user.settings);
    return {
      ...lists,
      subscriptions: lists.subscriptions.map((own) => withoutNulls(own, defaults)),
      unsubscribed: lists.unsubscribed.map((own) => withoutNulls(own, defaults)),
    };
  },
};
