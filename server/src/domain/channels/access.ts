/**
 * THE rule of who sees what of a channel. Two levels: metadata (that it exists, its name, settings and subscribers) and
 * content (its messages). It is SQL text over aliases, so that every query and every hand-written statement asks the
 * database the same question about the rows it has at hand.
 *
 *  - content: web-public channels everyone; subscribers; public channels all but guests; holders of a permission that
 *    grants content. Administrators see no content by their role.
 *  - metadata: whoever sees content; administrators; holders of a permission that grants metadata.
 *
 * A permission that may not name everyone is never held by a guest. Who has no access hears the same as if there were
 * no such channel. Protected history is a matter of single messages: see the messages' own rule.
 */
import { roles } from "@skein/api/users.ts";
import { sql, type RawBuilder, type Selectable } from "kysely";
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { ChannelsTable } from "../../platform/db/schema.ts";
import {
  channelPermissionNames,
  channelPermissionRule,
  type ChannelPermission,
} from "../permissions/channel-permissions.ts";

export type Channel = Selectable<ChannelsTable>;

/** SQL for who reads: an id and a rank, as columns (`u.id`) or as positions (`$1::bigint`). */
export interface ReaderSql {
  id: string;
  rank: string;
  /** SQL for whether the reader is in a group; a statement about many readers has a cheaper way than to ask for each. */
  inGroup?: (group: string) => string;
}

/** Where a statement has the rows: the alias of a channel, and of the reader's subscription to it (it may be null). */
export interface ChannelSql {
  channel: string;
  subscription: string;
  reader: ReaderSql;
}

export const isGuest = (user: Pick<User, "role">): boolean => user.role === roles.guest;
export const isAdministrator = (user: Pick<User, "role">): boolean => user.role <= roles.administrator;

/** Whether the reader holds a permission of the channel. */
export function holdsPermissionSql(permission: ChannelPermission, at: Omit<ChannelSql, "subscription">): string {
  const { id, rank, inGroup = (group) => `in_group(${id}, ${rank}, ${group})` } = at.reader;
  const isIn = inGroup(`${at.channel}.${permission}_id`);
  return channelPermissionRule(permission).everyone ? isIn : `(${rank} < ${roles.guest} and ${isIn})`;
}

const permissionsGranting = (level: "content" | "metadata") =>
  channelPermissionNames.filter((name) => channelPermissionRule(name).grants === level);

/** The permissions whose holders see at least a channel's metadata. */
export const metadataPermissions = [...permissionsGranting("content"), ...permissionsGranting("metadata")];

/** Cheap terms come first: the groups are only asked for channels that nothing else opens. */
export function contentAccessSql(at: ChannelSql): string {
  const { channel, subscription, reader } = at;
  return `(${[
    `${channel}.is_web_public`,
    `coalesce(${subscription}.active, false)`,
    `(not ${channel}.invite_only and ${reader.rank} < ${roles.guest})`,
    ...permissionsGranting("content").map((name) => holdsPermissionSql(name, at)),
  ].join(" or ")})`;
}

export function metadataAccessSql(at: ChannelSql): string {
  return `(${[
    `${at.reader.rank} <= ${roles.administrator}`,
    contentAccessSql(at),
    ...permissionsGranting("metadata").map((name) => holdsPermissionSql(name, at)),
  ].join(" or ")})`;
}

type Reader = Pick<User, "id" | "rank">;

/** Both are numbers of our own, so they may stand in the text. */
const readerSql = ({ id, rank }: Reader): ReaderSql => ({ id: String(id), rank: String(rank) });

/** For queries: whether this user may read the channel. The aliases are those of the query. */
export const hasContentAccess = (user: Reader, channel: string, subscription: string): RawBuilder<boolean> =>
  sql.raw(contentAccessSql({ channel, subscription, reader: readerSql(user) }));

/** For queries: whether this user may know of the channel. */
export const hasMetadataAccess = (user: Reader, channel: string, subscription: string): RawBuilder<boolean> =>
  sql.raw(metadataAccessSql({ channel, subscription, reader: readerSql(user) }));

/** For queries: whether this user holds a permission of the channel. */
export const holdsPermission = (user: Reader, permission: ChannelPermission, channel: string): RawBuilder<boolean> =>
  sql.raw(holdsPermissionSql(permission, { channel, reader: readerSql(user) }));

export const invalidChannelId = () => new ApiError("Invalid channel ID");

/** The channel, for a user who may know of it. */
export async function accessChannelById(db: Db, user: User, id: number): Promise<Channel> {
  const { rows } = await sql<Channel>`
    select c.* from channels c
      left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
    where c.realm_id = ${user.realm_id} and c.id = ${id} and ${hasMetadataAccess(user, "c", "s")}`.execute(db);
  const [channel] = rows;
  if (!channel) throw invalidChannelId();
  return channel;
}
