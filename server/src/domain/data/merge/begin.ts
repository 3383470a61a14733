/** Checks that two accounts can be merged, and begins: from then on there is no way back. */
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { deactivateUser } from "../../administration/users/activation.ts";
import { byOperator, lockHead, record } from "../../organization/audit/record.ts";
import { lockAccount, type LockedAccount } from "../../people/users/access.ts";
import type { Pair } from "./pair.ts";
import { moveBeforeDeactivation } from "./rules.ts";

/** Locks the organization, so that of several merges one begins first and the others see it. */
export async function beginMerge(tx: Tx, realm: Realm, fromId: number, intoId: number): Promise<Pair> {
  await lockHead(tx, realm.id);
  const from = await lockAccount(tx, realm, fromId);
  const into = await lockAccount(tx, realm, intoId);
  const pair = { realmId: realm.id, from, into };
  if (!(await isUnderWay(tx, realm, from, into))) {
    refuseMerge(from, into);
    await refuseDuringImport(tx, realm);
    await sql`
      insert into user_merges (from_id, into_id, realm_id, first_id, first_edit_id)
      select ${from.id}, ${into.id}, ${realm.id}, m.last_value, e.last_value from messages_id_seq m, edit_ids e
      on conflict (from_id) do update set into_id = excluded.into_id, started_at = now(), finished_at = null,
        first_id = excluded.first_id, first_edit_id = excluded.first_edit_id, searched_id = 0, searched_edit_id = 0`.execute(
      tx,
    );
    const target = { kind: "user", id: from.id } as const;
    await record(tx, realm.id, byOperator, { action: "user.merge", target, after: { user_id: into.id } });
  }
  await moveBeforeDeactivation(tx, pair);
  await deactivateUser(tx, realm, from.id);
  return pair;
}

/** Whether this merge has begun and is not finished; throws if another one of the organization is. */
export async function isUnderWay(
  db: Db,
  realm: Pick<Realm, "id">,
  from: { id: number },
  into: { id: number },
): Promise<boolean> {
  const underWay = await findUnfinishedMerge(db, realm);
  if (!underWay) return false;
  if (underWay.from_id === from.id && underWay.into_id === into.id) return true;
  throw new Error(finishFirst(underWay));
}

interface UnfinishedMerge {
  from_id: number;
  into_id: number;
}

/** An organization has one at a time. */
export const findUnfinishedMerge = (db: Db, { id }: Pick<Realm, "id">): Promise<UnfinishedMerge | undefined> =>
  db
    .selectFrom("user_merges")
    .select(["from_id", "into_id"])
    .where("realm_id", "=", id)
    .where("finished_at", "is", null)
    .executeTakeFirst();

/** Why something else does not begin meanwhile. */
export const finishFirst = ({ from_id, into_id }: UnfinishedMerge): string =>
  `The merge of account ${from_id} into ${into_id} is not finished. Finish it first: ` +
  `skein user merge ${from_id} --into ${into_id}`;

/** What an import has staged refers to accounts and conversations that a merge would move. Imports refuse merges likewise. */
async function refuseDuringImport(tx: Tx, { id }: Pick<Realm, "id">): Promise<void> {
  const unfinished = await tx
    .selectFrom("imports")
    .select("id")
    .where("realm_id", "=", id)
    .where("finished_at", "is", null)
    .executeTakeFirst();
  if (unfinished)
    throw new Error(
      "An import into this organization is not finished. Run it again to finish it, or give it up: skein import abandon",
    );
}

type Checked = Pick<LockedAccount, "id" | "full_name" | "role" | "is_bot" | "is_active">;

const roleName = (role: number): string =>
  Object.entries(roles).find(([, number]) => number === role)?.[0] ?? String(role);

/** Throws if these accounts cannot be merged. */
export function refuseMerge(from: Checked, into: Checked): void {
  if (from.id === into.id) throw new Error(`${from.full_name} (ID ${from.id}) cannot be merged into itself.`);
  const bot = [from, into].find(({ is_bot }) => is_bot);
  if (bot) throw new Error(`${bot.full_name} is a bot. Only accounts of people can be merged.`);
  if (!into.is_active)
    throw new Error(`${into.full_name} is deactivated. Reactivate the account first: skein user reactivate ${into.id}`);
  // The person would lose rights without notice, and the organization perhaps its last owner.
  if (from.role < into.role)
    throw new Error(
      `${from.full_name} (ID ${from.id}) is ${roleName(from.role)}, ${into.full_name} (ID ${into.id}) is ` +
        `${roleName(into.role)}. Give both the same role first: skein user role ${into.id} ${roleName(from.role)}`,
    );
}
