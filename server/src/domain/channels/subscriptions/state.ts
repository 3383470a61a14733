import type { SubscriptionObject } from "@skein/api/subscriptions.ts";
import type { QueueOptions } from "../../../events/queue.ts";
import type { Moment, StatePart } from "../../../events/state-part.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { SharedText } from "../../../platform/shared-text.ts";
import { ChannelTexts } from "../channel-texts.ts";
import { notificationDefaults, withoutNulls } from "./notifications.ts";
import { listChannelsKnownBy, listOwnChannels, toSubscriptionObject, type OwnChannel } from "./queries.ts";

export interface KnownChannels {
  /** Ascending. */
  ids: number[];
  /** Those of them that the user is or was subscribed to. */
  own: OwnChannel[];
}

/** The channels a user may know of, which two parts of a registration need; most are the same for all with the same groups. */
export const knownChannelsAt = (
  moment: Moment,
  db: Db,
  user: User,
  { archived_channels: archived }: QueueOptions,
): Promise<KnownChannels> =>
  moment.once(listOwnChannels, `${user.id} ${archived}`, async () => {
    const { own, groups } = await listOwnChannels(db, user, archived);
    const anyones = await moment.once(listChannelsKnownBy, [user.rank, archived, groups].join(), async () => {
      const ids = await listChannelsKnownBy(db, user, groups, archived);
      return { ids, all: new Set(ids) };
    });
    const further = own.map(({ id }) => id).filter((id) => !anyones.all.has(id));
    const ids = further.length === 0 ? anyones.ids : [...anyones.ids, ...further].toSorted((one, other) => one - other);
    return { ids, own };
  });

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
      ...texts.list(ids, familiar),
      closing,
    ];
  },
};
