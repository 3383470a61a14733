/** Who can read a channel, as one choice of four. On the wire it is three properties. */
import { updateChannel } from "@skein/api/routes/channels.ts";
import { call } from "../api/call.ts";
import { findChannel, type Channel } from "./channels.ts";
import { confirmed } from "./setting-stores.ts";
import { part } from "./state.ts";

export type Privacy = "webPublic" | "public" | "private" | "protected";

const properties = {
  webPublic: { invite_only: false, is_web_public: true, history_public_to_subscribers: true },
  public: { invite_only: false, is_web_public: false, history_public_to_subscribers: true },
  private: { invite_only: true, is_web_public: false, history_public_to_subscribers: true },
  protected: { invite_only: true, is_web_public: false, history_public_to_subscribers: false },
} as const;

export const propertiesOf = (privacy: Privacy) => properties[privacy];

export function privacyOf({
  invite_only,
  is_web_public,
  history_public_to_subscribers,
}: Pick<Channel, "invite_only" | "is_web_public" | "history_public_to_subscribers">): Privacy {
  if (invite_only) return history_public_to_subscribers ? "private" : "protected";
  return is_web_public ? "webPublic" : "public";
}

/** What the reader can choose for an existing channel. */
export const privaciesFor = (channel: Channel): Privacy[] => [
  ...(channel.is_web_public || part("can_create_web_public_streams").value === true ? (["webPublic"] as const) : []),
  "public",
  "private",
  "protected",
];

/** What the reader can choose for a new channel. */
export const privaciesForNew = (): Privacy[] => {
  const isPublic = part("can_create_public_streams").value ?? true;
  const isPrivate = part("can_create_private_streams").value ?? true;
  return [
    // A web-public channel is public as well.
    ...(isPublic && part("can_create_web_public_streams").value === true ? (["webPublic"] as const) : []),
    ...(isPublic ? (["public"] as const) : []),
    ...(isPrivate ? (["private", "protected"] as const) : []),
  ];
};

/** A group of people whom a change of privacy affects, and whether they gain or lose access. */
export interface PrivacyEffect {
  whom: "strangers" | "members" | "subscribers" | "reader";
  gains: boolean;
}

interface Readers {
  strangers: boolean;
  members: boolean;
  /** Read what was sent before they joined. */
  subscribers: boolean;
}

const readersOf = (privacy: Privacy): Readers => ({
  strangers: privacy === "webPublic",
  members: privacy === "webPublic" || privacy === "public",
  subscribers: privacy !== "protected",
});

/** Who gains and who loses what. */
export function effectsOf(from: Privacy, to: Privacy, isSubscribed: boolean): PrivacyEffect[] {
  const [before, after] = [readersOf(from), readersOf(to)];
  const effects = (["strangers", "members", "subscribers"] as const)
    .filter((whom) => before[whom] !== after[whom])
    .map((whom): PrivacyEffect => ({ whom, gains: after[whom] }));
  const losesOwn = !isSubscribed && before.members && !after.members;
  return losesOwn ? [...effects, { whom: "reader", gains: false }] : effects;
}

export function savePrivacy(channelId: number, privacy: Privacy): Promise<void> {
  const { invite_only, ...rest } = properties[privacy];
  return confirmed(
    {
      key: `channel ${channelId} privacy`,
      event: {
        type: "stream",
        op: "update",
        stream_id: channelId,
        name: findChannel(channelId)?.name ?? "",
        property: "invite_only",
        value: invite_only,
        ...rest,
      },
      isConfirmedBy: (event) =>
        event.type === "stream" &&
        event.op === "update" &&
        event.stream_id === channelId &&
        event.property === "invite_only" &&
        event.value === invite_only &&
        event.is_web_public === rest.is_web_public &&
        event.history_public_to_subscribers === rest.history_public_to_subscribers,
    },
    () => call(updateChannel, { stream_id: channelId, is_private: invite_only, ...rest }),
  );
}
