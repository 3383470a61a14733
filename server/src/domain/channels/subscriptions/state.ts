import type { SubscriptionObject } from "@skein/api/subscriptions.ts";
import type { QueueOptions } from "../../../events/queue.ts";
import type { Moment, StatePart } from "../../../events/state-part.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { SharedText } from "../../../platform/shared-text.ts";
import { ChannelTexts } from "../channel-texts.ts";
import { notificationDefaults, withoutNulls } from "./notifications.ts";
import { listKnownChannels, toSubscriptionObject, type KnownChannels } from "./queries.ts";

/** The channels a user may know of, which two parts of a registration need. */
export const knownChannelsAt = (
  moment: Moment,
  db: Db,
  user: User,
  { archived_channels }: QueueOptions,
): Promise<KnownChannels> =>
  moment.once(listKnownChannels, `${user.id} ${archived_channels}`, () =>
    listKnownChannels(db, user, archived_channels),
  );

const closing = new SharedText("]");

/** All channels the user may know of: subscribed, formerly subscribed, and never subscribed. */
export const subscriptionState: StatePart = {
  types: ["subscription"],
  async load(db, { user, options, moment }) {
    const { ids, own } = await knownChannelsAt(moment, db, user, options);
    const texts = await ChannelTexts.at(moment, user, options.include_subscribers);
    await texts.load(db, ids);
    const defaults = options.notification_settings_null ? undefined : notificationDefaults(user.settings);
    const shown = (isActive: boolean): SubscriptionObject[] =>
      own
        .filter(({ active }) => active === isActive)
        .map((personal) => {
          const { object, subscribers } = texts.find(personal.id);
          const subscription = toSubscriptionObject(object, personal, subscribers);
          return defaults ? withoutNulls(subscription, defaults) : subscription;
        });
    const familiar = new Set(own.map(({ id }) => id));
    return [
      `"subscriptions":${JSON.stringify(shown(true))},"unsubscribed":${JSON.stringify(shown(false))},"never_subscribed":[`,
      ...texts.list(ids.filter((id) => !familiar.has(id))),
      closing,
    ];
  },
};
