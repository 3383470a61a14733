/**
 * Users see the policies they chose for topics while the channel is not archived and they can read it. Code that changes
 * either calls `noteShownTopics` before the change, and the returned function emits events for what appeared or vanished.
 */
import { visibilityPolicies, type UserTopic } from "@skein/api/user-topics.ts";
import { sql, type RawBuilder } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import { chosenSpelling } from "../topics/spelling.ts";
import { emitMutedTopics, emitPolicy } from "./actions.ts";
import { isShown } from "./queries.ts";

/** The users and channels affected by a change; all of them when left out. */
interface Affected {
  userIds?: readonly number[];
  channelIds?: readonly number[];
}

/**
 * Call the returned function once the change is written and its events are emitted. When the change has already happened,
 * `wasShown` is SQL for the state before it.
 */
export async function noteShownTopics(
  tx: Tx,
  realmId: number,
  affected: Affected,
  wasShown = isShown,
): Promise<() => Promise<void>> {
  const before = await listChoices(tx, realmId, affected, wasShown);
  if (before.length === 0) return async () => {};
  const shown = new Set(before.filter((choice) => choice.is_shown).map(keyOf));
  return async () => {
    const after = await listChoices(tx, realmId, affected, isShown);
    const changed = after.filter((choice) => choice.is_shown !== shown.has(keyOf(choice)));
    for (const group of Map.groupBy(changed, eventKey).values()) emitChoices(tx, realmId, group);
    const muted = changed.filter((choice) => choice.visibility_policy === visibilityPolicies.muted);
    emitMutedTopics(tx, realmId, [...new Set(muted.map((choice) => choice.user_id))]);
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
const eventKey = ({ topic_id, topic_name, is_shown, visibility_policy, last_updated }: Choice): string =>
  JSON.stringify([topic_id, topic_name, ...(is_shown ? [visibility_policy, last_updated.getTime()] : [])]);

/** The choices have the same event key, so one event serves all their users. */
function emitChoices(tx: Tx, realmId: number, choices: Choice[]): void {
  const [first] = choices;
  if (!first) return;
  const topic = { id: first.topic_id, name: first.topic_name, channel: { id: first.channel_id, realm_id: realmId } };
  const policy = first.is_shown ? first.visibility_policy : visibilityPolicies.none;
  const users = choices.map((choice) => choice.user_id);
  emitPolicy(tx, topic, users, policy, first.last_updated);
}

async function listChoices(
  tx: Tx,
  realmId: number,
  { userIds, channelIds }: Affected,
  isShownThen: RawBuilder<boolean>,
): Promise<Choice[]> {
  const { rows } = await sql<Choice>`
    select ut.user_id, ut.topic_id, c.id as channel_id, ${sql.raw(chosenSpelling)} as topic_name, ut.last_updated, ut.visibility_policy,
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
