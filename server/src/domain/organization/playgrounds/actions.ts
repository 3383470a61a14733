import { maxPlaygrounds } from "@skein/api/playgrounds.ts";
import { ApiError } from "../../../errors.ts";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessPlaygroundsForUpdate } from "./access.ts";
import { checkPlayground, type PlaygroundText } from "./check.ts";
import { listPlaygrounds } from "./queries.ts";

const alreadyExists = "Realm playground with this Realm, Pygments language and Name already exists.";

/** Returns its id. */
export async function addPlayground(tx: Tx, actor: User, given: PlaygroundText): Promise<number> {
  await accessPlaygroundsForUpdate(tx, actor);
  const { realm_id } = actor;
  const added = await tx
    .insertInto("realm_playgrounds")
    .values({ realm_id, ...checkPlayground(given) })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (!added) throw new ApiError(alreadyExists, { data: { errors: { __all__: [alreadyExists] } } });
  if ((await emitPlaygrounds(tx, realm_id)) > maxPlaygrounds)
    throw new ApiError(`An organization cannot have more than ${maxPlaygrounds} code playgrounds.`);
  return added.id;
}

export async function removePlayground(tx: Tx, actor: User, id: number): Promise<void> {
  await accessPlaygroundsForUpdate(tx, actor);
  const { numDeletedRows } = await tx
    .deleteFrom("realm_playgrounds")
    .where("realm_id", "=", actor.realm_id)
    .where("id", "=", id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw new ApiError("Invalid playground");
  await emitPlaygrounds(tx, actor.realm_id);
}

/** Returns the number of playgrounds. */
async function emitPlaygrounds(tx: Tx, realmId: number): Promise<number> {
  const realm_playgrounds = await listPlaygrounds(tx, realmId);
  emit(tx, realmId, toEveryone, { type: "realm_playgrounds", realm_playgrounds });
  return realm_playgrounds.length;
}
