/** Permissions for subscribing and unsubscribing users. */
import { sql } from "kysely";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import {
  contentAccessSql,
  hasContentAccess,
  hasMetadataAccess,
  holdsPermission,
  isAdministrator,
  isGuest,
  type Channel,
} from "../access.ts";

/** A user to subscribe or unsubscribe. */
export interface Principal {
  id: number;
  is_bot: boolean;
  bot_owner_id: number | null;
}

export type ChannelWithRights = Channel & {
  is_known: boolean;
  /** The user may subscribe to it. */
  may_join: boolean;
  /** The user may subscribe others, given that the user may join. */
  may_add: boolean;
  may_remove: boolean;
};

/**
 * The channels with the user's rights concerning their subscribers, in the order of `ids`. A bot acts for its owner: it
 * may join where the owner may.
 */
export async function loadChannelsWithRights(tx: Tx, user: User, ids: readonly number[]): Promise<ChannelWithRights[]> {
  const administrator = sql.lit(isAdministrator(user));
  const member = sql.lit(!isGuest(user));
  const administers = holdsPermission(user, "can_administer_channel_group", "c");
  const adds = holdsPermission(user, "can_add_subscribers_group", "c");
  const removes = holdsPermission(user, "can_remove_subscribers_group", "c");
  const addsAnywhere = sql`in_group(${user.id}, ${user.rank}, ${user.realm.can_add_subscribers_group_id})`;
  const { rows } = await sql<ChannelWithRights>`
    select c.*, ${hasMetadataAccess(user, "c", "s")} as is_known,
      ${member} and (${hasContentAccess(user, "c", "s")} or ${ownerHasContentAccess(user)}) as may_join,
      ${member} and (${administrator} or ${addsAnywhere} or ${administers} or ${adds}) as may_add,
      ${member} and (${administrator} or ${administers} or (${hasMetadataAccess(user, "c", "s")} and ${removes})) as may_remove
    from unnest(${ids}::bigint[]) with ordinality as wanted (id, position)
      join channels c on c.id = wanted.id and c.realm_id = ${user.realm_id}
      left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
    order by wanted.position`.execute(tx);
  return rows;
}

const ownerReads = sql.raw(
  contentAccessSql({
    channel: "c",
    subscription: "owned",
    reader: { id: "owner.id", rank: "rank_of(owner.role, owner.date_joined, r.waiting_period_threshold)" },
  }),
);

const ownerHasContentAccess = ({ bot_owner_id }: User) =>
  bot_owner_id === null
    ? sql`false`
    : sql`exists (
        select from users owner join realms r on r.id = owner.realm_id
          left join subscriptions owned on owned.channel_id = c.id and owned.user_id = owner.id
        where owner.id = ${bot_owner_id} and owner.is_active and ${ownerReads})`;

/** Users may unsubscribe themselves and their own bots from any channel. */
export const isSelfOrOwnBot = (user: User, principal: Principal): boolean =>
  principal.id === user.id || principal.bot_owner_id === user.id;
