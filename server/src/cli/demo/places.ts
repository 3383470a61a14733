/** Creates the channels of the story and their subscriptions. */
import { sql } from "kysely";
import type { Config } from "../../config.ts";
import type { Channel } from "../../domain/channels/access.ts";
import { createChannels } from "../../domain/administration/channels/create.ts";
import { systemGroupIds } from "../../domain/organization/permissions/group-settings.ts";
import { channelColors } from "../../domain/channels/subscriptions/color.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { foundation, member, type Cast } from "./accounts.ts";
import { channels, membersOf } from "./story/channels.ts";

/** Channels by name. */
export type Places = ReadonlyMap<string, Channel>;

export function getChannel(places: Places, name: string): Channel {
  const channel = places.get(name);
  if (!channel) throw new Error(`there is no channel ${name}`);
  return channel;
}

export async function addChannels(tx: Tx, config: Config, cast: Cast): Promise<Places> {
  const places = new Map<string, Channel>();
  const moderators = (await systemGroupIds(tx, member(cast, "olive").realm_id)).get("role:moderators");
  for (const [name, declared] of Object.entries(channels)) {
    const { description, isPrivate = false, isDefault = false, isForAnnouncements } = declared;
    const creator = member(cast, membersOf(declared)[0] ?? "olive");
    const [channel] = await createChannels(tx, config, creator, [{ name, description }], {
      invite_only: isPrivate,
      is_web_public: false,
      is_default: isDefault,
      history_public_to_subscribers: true,
      message_retention_days: null,
      permissions: isForAnnouncements && moderators !== undefined ? { can_send_message_group: moderators } : {},
    });
    if (channel) places.set(name, channel);
  }
  const ids = [...places.values()].map((channel) => channel.id);
  await tx.updateTable("channels").set({ date_created: foundation }).where("id", "in", ids).execute();
  await subscribe(tx, cast, places);
  return places;
}

/** All subscribers have received all messages from the start. */
async function subscribe(tx: Tx, cast: Cast, places: Places): Promise<void> {
  const subscriptions = [...places.values()].flatMap((channel, index) =>
    membersOf(channels[channel.name] ?? { description: "" }).map((key) => ({
      user_id: member(cast, key).id,
      channel_id: channel.id,
      realm_id: channel.realm_id,
      received: "{[1,)}",
      color: channelColors[index % channelColors.length] ?? channelColors[0],
    })),
  );
  await tx.insertInto("subscriptions").values(subscriptions).execute();
  const pinned = ["announcements", "leadership"].map((name) => getChannel(places, name).id);
  await sql`
    update subscriptions set pin_to_top = true
    where user_id = ${member(cast, "olive").id} and channel_id = any(${pinned}::bigint[])`.execute(tx);
}
