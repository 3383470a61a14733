/**
 * Notifies guests who do not see everyone of users who become visible or invisible to them. Code that changes a role, a
 * subscription, a conversation or an account's activation first records whom the affected readers see (`usersVisibleTo`,
 * `usersVisibleToGuests`), and afterwards passes that here.
 */
import { toUsers } from "../../../events/audience.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { profilesOf } from "../profile-fields/queries.ts";
import { emitUserAdded, emitUserRemoved } from "./event-shapes.ts";
import { usersVisibleTo, type VisibleUsers } from "./guest-view.ts";
import { accountColumns, type Account } from "./queries.ts";

export async function emitVisibilityChanges(tx: Tx, realmId: number, before: VisibleUsers): Promise<void> {
  if (before.size === 0) return;
  const readers = [...before.keys()];
  const after = await usersVisibleTo(tx, realmId, readers);
  const sees = (visible: VisibleUsers, reader: number, id: number) =>
    reader === id || (visible.get(reader)?.has(id) ?? true);
  const changed = (await listAffected(tx, realmId, [before, after])).map((account) => {
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
    if (losing.length > 0) emitUserRemoved(tx, realmId, account.id, toUsers(losing));
    if (gaining.length > 0)
      emitUserAdded(tx, realmId, account, { profile_data: profileOf(account.id), audience: toUsers(gaining) });
  }
}

/** The users whose visibility may differ between these; bots are visible to everyone. */
async function listAffected(tx: Tx, realmId: number, visible: readonly VisibleUsers[]): Promise<Account[]> {
  const views = visible.flatMap((users) => [...users.values()]);
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
