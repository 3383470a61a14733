/**
 * The one rule for who may see what of a channel. It has two levels: metadata (that the channel exists, its name, settings
 * and subscribers) and content (its messages). The rule is SQL text over table aliases, so that every query and every
 * hand-written statement applies the same condition to its own rows.
 *
 *  - content: everyone in web-public channels; subscribers; everyone but guests in public channels; holders of a
 *    permission that grants content. The role of administrator gives no access to content.
 *  - metadata: everyone with access to content; administrators; holders of a permission that grants metadata.
 *
 * A guest never holds a permission that cannot be set to everyone. Without access the response is the same as for a
 * channel that does not exist. Protected history is about single messages: see the rule for messages.
 */
import { roles } from "@skein/api/users.ts";
import { sql, type RawBuilder, type Selectable } from "kysely";
import { ApiError } from "../../errors.ts";
import type { User } from "../../identity/account.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { ChannelsTable } from "../../platform/db/schema.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import {
  channelPermissionNames,
  channelPermissionRule,
  type ChannelPermission,
} from "../organization/permissions/channel-permissions.ts";
import { lockChannelsForSubscriptionChange } from "./lock.ts";

export type Channel = Selectable<ChannelsTable>;

/** SQL for the reader: an id and a rank, as columns (`u.id`) or as parameters (`$1::bigint`). */
export interface ReaderSql {
  id: string;
  rank: string;
  /** SQL for whether the reader is in a group; a statement about many readers has a cheaper way than one call for each. */
  inGroup?: (group: string) => string;
}

/** The aliases in a statement: of the channel, and of the reader's subscription to it (which may be null). */
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

/** The permissions that grant access to a channel's content. */
export const contentPermissions = permissionsGranting("content");

/** The permissions that grant access at least to a channel's metadata. */
export const metadataPermissions = [...contentPermissions, ...permissionsGranting("metadata")];

/** Cheap terms come first, so that group membership is only looked up when nothing else grants access. */
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

/** Both are numbers from our database, so they are safe in SQL text. */
const readerSql = ({ id, rank }: Reader): ReaderSql => ({ id: String(id), rank: String(rank) });

/** For queries: whether this user may read the channel. Takes the aliases used in the query. */
export const hasContentAccess = (user: Reader, channel: string, subscription: string): RawBuilder<boolean> =>
  sql.raw(contentAccessSql({ channel, subscription, reader: readerSql(user) }));

/** For queries: whether this user may know of the channel. */
export const hasMetadataAccess = (user: Reader, channel: string, subscription: string): RawBuilder<boolean> =>
  sql.raw(metadataAccessSql({ channel, subscription, reader: readerSql(user) }));

/** For queries: whether this user holds a permission of the channel. */
export const holdsPermission = (user: Reader, permission: ChannelPermission, channel: string): RawBuilder<boolean> =>
  sql.raw(holdsPermissionSql(permission, { channel, reader: readerSql(user) }));

export const invalidChannelId = () => new ApiError("Invalid channel ID");

const invalidChannelName = (name: string) => new ApiError(`Invalid channel name '${name}'`);

/** A channel as a request names it. Names are case-insensitive. */
export type ChannelTarget = { id: number } | { name: string };

const isTarget = (target: ChannelTarget) =>
  "id" in target ? sql`c.id = ${target.id}` : sql`lower(c.name) = lower(${target.name})`;

async function accessChannel(
  db: Db,
  user: User,
  target: ChannelTarget,
  hasAccess: typeof hasMetadataAccess,
): Promise<Channel> {
  const { rows } = await sql<Channel>`
    select c.* from channels c
      left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
    where c.realm_id = ${user.realm_id} and ${isTarget(target)} and ${hasAccess(user, "c", "s")}`.execute(db);
  const [channel] = rows;
  if (!channel) throw "id" in target ? invalidChannelId() : invalidChannelName(target.name);
  return channel;
}

/** The channel, for a user who may know of it. */
export const accessKnownChannel = (db: Db, user: User, target: ChannelTarget): Promise<Channel> =>
  accessChannel(db, user, target, hasMetadataAccess);

export const accessChannelById = (db: Db, user: User, id: number): Promise<Channel> =>
  accessKnownChannel(db, user, { id });

/** The channel, for a user who may read its messages. */
export const accessReadableChannel = (db: Db, user: User, target: ChannelTarget): Promise<Channel> =>
  accessChannel(db, user, target, hasContentAccess);

/** The channels with these names, each once, for a user who may read them all. */
export async function accessReadableChannels(db: Db, user: User, names: readonly string[]): Promise<Channel[]> {
  const { rows } = await sql<Partial<Channel> & { wanted: string }>`
    select w.name as wanted, readable.*
    from unnest(${names}::text[]) with ordinality as w (name, position)
      left join lateral (
        select c.* from channels c left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
        where c.realm_id = ${user.realm_id} and lower(c.name) = lower(w.name) and ${hasContentAccess(user, "c", "s")}
      ) readable on true
    order by w.position`.execute(db);
  const channels = new Map<number, Channel>();
  for (const { wanted, ...row } of rows) {
    if (row.id === null || row.id === undefined) throw invalidChannelName(wanted);
    channels.set(row.id, row as Channel); // a row with an id has all of its columns
  }
  return [...channels.values()];
}

/** A channel locked for a change: nothing else changes it or its subscribers until the transaction ends. */
export interface LockedChannel {
  channel: Channel;
  /** Whether the user who changes it may also read it. */
  hasContent: boolean;
  /** Earlier messages of the channel have smaller ids, later ones greater ids. */
  boundary: number;
}

/** The channel, for a user who administers it: by role, or by the channel's own permission. */
export async function accessChannelForChange(tx: Tx, user: User, id: number): Promise<LockedChannel> {
  await accessChannelById(tx, user, id);
  const boundary = await lockChannelsForSubscriptionChange(tx, [id]);
  const administers = isAdministrator(user) ? sql`true` : holdsPermission(user, "can_administer_channel_group", "c");
  const { rows } = await sql<Channel & { is_known: boolean; has_content: boolean; administers: boolean }>`
    select c.*, ${hasMetadataAccess(user, "c", "s")} as is_known, ${hasContentAccess(user, "c", "s")} as has_content,
      ${administers} as administers
    from channels c left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
    where c.realm_id = ${user.realm_id} and c.id = ${id}
    for no key update of c`.execute(tx);
  const [row] = rows;
  if (!row?.is_known) throw invalidChannelId();
  const { is_known: _, has_content: hasContent, administers: mayChange, ...channel } = row;
  if (!mayChange) throw new ApiError("You do not have permission to administer this channel.");
  return { channel, hasContent, boundary };
}
