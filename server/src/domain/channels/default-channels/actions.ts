import { ApiError } from "../../../errors.ts";
import { toNonGuests } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessChannelById, accessReadableChannel, invalidChannelId, type Channel } from "../access.ts";
import { accessDefaultChannelsForUpdate } from "./access.ts";
import { listDefaultChannels } from "./queries.ts";

export async function addDefaultChannel(tx: Tx, user: User, channelId: number): Promise<void> {
  await accessDefaultChannelsForUpdate(tx, user);
  const channel = await accessReadableChannel(tx, user, { id: channelId });
  if (channel.is_archived) throw invalidChannelId();
  if (channel.invite_only) throw new ApiError("Private channels cannot be made default.");
  await setDefault(tx, channel, true);
}

export async function removeDefaultChannel(tx: Tx, user: User, channelId: number): Promise<void> {
  await accessDefaultChannelsForUpdate(tx, user);
  await setDefault(tx, await accessChannelById(tx, user, channelId), false);
}

/** The caller has locked the default channels and checked permissions. */
export async function setDefault(tx: Tx, channel: Channel, is_default: boolean): Promise<void> {
  if (channel.is_default === is_default) return;
  await tx.updateTable("channels").set({ is_default }).where("id", "=", channel.id).execute();
  await emitDefaultChannels(tx, channel.realm_id);
}

export async function emitDefaultChannels(tx: Tx, realmId: number): Promise<void> {
  const default_streams = (await listDefaultChannels(tx, realmId)).map((channel) => channel.id);
  emit(tx, realmId, toNonGuests, { type: "default_streams", default_streams });
}
