/**
 * People who come into a guest's sight or leave it, where guests do not see everybody. Whoever changes what decides
 * about that (a role, a subscription, a conversation, an account's being open) notes before the change whom those
 * concerned see (`peopleSeenBy`, `sightsOfGuests`), and tells them afterwards what is different.
 */
import { toUsers } from "../../events/audience.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { profilesOf } from "../profile-fields/queries.ts";
import { emitAppearance, emitDisappearance } from "./event-shapes.ts";
import { peopleSeenBy, type Sights } from "./guest-view.ts";
import { accountColumns, type Account } from "./queries.ts";

export async function emitPeopleInSight(tx: Tx, realmId: number, before: Sights): Promise<void> {
  if (before.size === 0) return;
  const readers = [...before.keys()];
  const after = await peopleSeenBy(tx, realmId, readers);
  const sees = (sights: Sights, reader: number, id: number) => reader === id || (sights.get(reader)?.has(id) ?? true);
  const changed = (await listConcerned(tx, realmId, [before, after])).map((account) => {
    const did = (reader: number) => sees(before, reader, account.id);
    const does = (reader: number) => sees(after, reader, account.id);
    return {
      account,
      gaining: readers.filter((reader) => !did(reader) && does(reader)),
      losing: readers.filter((reader) => did(reader) && !does(reader)),
    };
  });
  const appearing = changed.filter(({ gaining }) => gaining.length > 0).map(({ account }) => account.id);
  const profileOf = await profilesOf(tx, realmId, appearing);
  for (const { account, gaining, losing } of changed) {
    if (losing.length > 0) emitDisappearance(tx, realmId, account.id, toUsers(losing));
    if (gaining.length > 0)
      emitAppearance(tx, realmId, account, { profile_data: profileOf(account.id), audience: toUsers(gaining) });
  }
}

/** The people about whom these sights may differ; bots are seen by all. */
async function listConcerned(tx: Tx, realmId: number, sights: readonly Sights[]): Promise<Account[]> {
  const views = sights.flatMap((sight) => [...sight.values()]);
  const some = views.filter((seen) => seen !== undefined);
  if (some.length === 0) return [];
  const ids = new Set(some.flatMap((seen) => [...seen]));
  return tx
    .selectFrom("users")
    .select(accountColumns)
    .where("realm_id", "=", realmId)
    .where("is_bot", "=", false)
    .$if(some.length === views.length, (query) => query.where("id", "=", (one) => one.fn.any(one.val([...ids]))))
    .orderBy("id")
    .execute();
}
