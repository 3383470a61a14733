/**
 * What people chose for topics is shown to them while the channel is open and they can read it. Whoever changes that
 * notes before the change what is shown (`noteShownTopics`), and tells afterwards what came and what went.
 */
import { visibilityPolicies, type UserTopic } from "@skein/api/user-topics.ts";
import { sql, type RawBuilder } from "kysely";
import type { Tx } from "../../platform/db/transaction.ts";
import { tellMuted, tellPolicy } from "./actions.ts";
import { isShown } from "./queries.ts";

/** Whose choices may come or go, and where; everybody's or everywhere when left out. */
interface Concerned {
  userIds?: readonly number[];
  channelIds?: readonly number[];
}

/**
 * Call what it gives back once the change is written and told. Where the change came by itself, `wasShown` is SQL for what
 * was before it.
 */
export async function noteShownTopics(
  tx: Tx,
  realmId: number,
  concerned: Concerned,
  wasShown = isShown,
): Promise<() => Promise<void>> {
  const before = await listChoices(tx, realmId, concerned, wasShown);
  if (before.length === 0) return async () => {};
  const shown = new Set(before.filter((choice) => choice.is_shown).map(keyOf));
  return async () => {
    const after = await listChoices(tx, realmId, concerned, isShown);
    const changed = after.filter((choice) => choice.is_shown !== shown.has(keyOf(choice)));
    for (const alike of Map.groupBy(changed, newsOf).values()) tell(tx, realmId, alike);
    const muted = changed.filter((choice) => choice.visibility_policy === visibilityPolicies.muted);
    tellMuted(tx, realmId, [...new Set(muted.map((choice) => choice.user_id))]);
  };
}

interface Choice {
  user_id: number;
  topic_id: number;
  channel_id: number;
  topic_name: string;
  last_updated: Date;
  visibility_policy: UserTopic["visibility_policy"];
  is_shown: boolean;
}

const keyOf = ({ user_id, topic_id }: Choice): string => `${user_id} ${topic_id}`;
const newsOf = ({ topic_id, is_shown, visibility_policy, last_updated }: Choice): string =>
  is_shown ? `${topic_id} ${visibility_policy} ${last_updated.getTime()}` : `${topic_id}`;

/** All of them hear the same. */
function tell(tx: Tx, realmId: number, choices: Choice[]): void {
  const [first] = choices;
  if (!first) return;
  const topic = { id: first.topic_id, name: first.topic_name, channel: { id: first.channel_id, realm_id: realmId } };
  const policy = first.is_shown ? first.visibility_policy : visibilityPolicies.none;
  const users = choices.map((choice) => choice.user_id);
  tellPolicy(tx, topic, users, policy, first.last_updated);
}

async function listChoices(
  tx: Tx,
  realmId: number,
  { userIds, channelIds }: Concerned,
  isShownThen: RawBuilder<boolean>,
): Promise<Choice[]> {
  const { rows } = await sql<Choice>`
    select ut.user_id, ut.topic_id, c.id as channel_id, t.name as topic_name, ut.last_updated, ut.visibility_policy,
      ${isShownThen} as is_shown
    from user_topics ut join topics t on t.id = ut.topic_id join channels c on c.id = t.channel_id
      join users u on u.id = ut.user_id join realms r on r.id = u.realm_id
      left join subscriptions s on s.channel_id = c.id and s.user_id = u.id
    where ut.realm_id = ${realmId}
      and ${userIds ? sql`ut.user_id = any(${userIds}::bigint[])` : sql`true`}
      and ${channelIds ? sql`t.channel_id = any(${channelIds}::bigint[])` : sql`true`}
    order by ut.user_id, ut.topic_id`.execute(tx);
  return rows;
}
