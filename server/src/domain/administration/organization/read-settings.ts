/** Converts the parameters of a request into column values of the organization, and refuses invalid ones. */
import type { ParamsOf } from "@skein/api/endpoint.ts";
import type { updateRealm } from "@skein/api/realm-settings.ts";
import type { Updateable } from "kysely";
import { ApiError, invalidParameter } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { RealmsTable } from "../../../platform/db/schema.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessChannelById, invalidChannelId } from "../../channels/access.ts";
import type { RealmPermission } from "../../organization/permissions/realm-permissions.ts";
import { refuseUnknownMethods } from "../../organization/realm/authentication-methods.ts";
import { hasId, toGiphyRating, videoChatProviders } from "../../organization/realm/providers.ts";

export type RealmParams = ParamsOf<typeof updateRealm>;
/** The settings that are not permissions. */
export type SettingParams = Omit<RealmParams, RealmPermission>;
export type SettingColumns = Pick<
  Updateable<RealmsTable>,
  Exclude<keyof SettingParams, "authentication_methods" | "topics_policy" | "gif_rating_policy"> | "giphy_rating"
>;

const limits = [
  "message_content_edit_limit_seconds",
  "message_content_delete_limit_seconds",
  "move_messages_within_stream_limit_seconds",
  "move_messages_between_streams_limit_seconds",
] as const;

export const announcementChannels = [
  "new_stream_announcements_stream_id",
  "signup_announcements_stream_id",
  "zulip_update_announcements_stream_id",
  "moderation_request_channel_id",
] as const;

/** "No channel" in the protocol; in requests, any other negative number means the same. */
export const noChannel = -1;

export async function readSettings(tx: Tx, user: User, params: SettingParams): Promise<SettingColumns> {
  const { authentication_methods, message_retention_days, jitsi_server_url, name, topics_policy, ...others } = params;
  const { gif_rating_policy, ...plain } = others;
  if (authentication_methods) refuseUnknownMethods(authentication_methods);
  if (plain.video_chat_provider !== undefined && !hasId(videoChatProviders, plain.video_chat_provider))
    throw new ApiError(`Invalid video_chat_provider ${plain.video_chat_provider}`);
  const columns: Record<string, unknown> = { ...plain };
  for (const limit of limits) if (plain[limit] !== undefined) columns[limit] = readLimit(limit, plain[limit]);
  for (const channel of announcementChannels)
    if (plain[channel] !== undefined) columns[channel] = await readChannel(tx, user, channel, plain[channel]);
  if (name !== undefined) columns["name"] = readName(name);
  if (message_retention_days !== undefined)
    columns["message_retention_days"] = readLimit("message_retention_days", message_retention_days) ?? -1;
  // See channels/topics/policy.ts.
  if (topics_policy !== undefined) columns["mandatory_topics"] = topics_policy === "disable_empty_topic";
  if (gif_rating_policy !== undefined) columns["giphy_rating"] = toGiphyRating(gif_rating_policy);
  if (jitsi_server_url !== undefined) columns["jitsi_server_url"] = readJitsiUrl(jitsi_server_url);
  // The parameters have the names of the columns, and their values were converted above.
  return columns;
}

function readName(given: string): string {
  const name = given.trim();
  if (name === "") throw new ApiError("name cannot be blank");
  return name;
}

const maxInteger = 2 ** 31 - 1;

/** Null: no limit. */
function readLimit(name: string, value: number | string): number | null {
  if (value === "unlimited") return null;
  if (typeof value === "number" && value > 0 && value <= maxInteger) return value;
  throw invalidParameter(name, String(value));
}

/** Null: the server's default. */
function readJitsiUrl(value: string): string | null {
  if (value === "default") return null;
  const url = URL.parse(value);
  if (url?.protocol !== "https:" && url?.protocol !== "http:")
    throw new ApiError("jitsi_server_url is not an allowed_type");
  return value;
}

async function readChannel(
  tx: Tx,
  user: User,
  setting: (typeof announcementChannels)[number],
  id: number,
): Promise<number | null> {
  if (id < 0) return null;
  const channel = await accessChannelById(tx, user, id);
  if (channel.is_archived) throw invalidChannelId();
  if (setting === "moderation_request_channel_id" && !channel.invite_only)
    throw new ApiError("Moderation request channel must be private.");
  return channel.id;
}
