import { randomBytes } from "node:crypto";
import { maxExportsPerWeek } from "@skein/api/exports.ts";
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import { enqueue } from "../../jobs/job.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { removeStored } from "../uploads/jobs.ts";
import { accessExportForRemoval, accessExports, lockExports } from "./access.ts";
import { exportKey } from "./address.ts";
import { emitExports } from "./events.ts";
import { makeLater } from "./jobs.ts";

const weekMilliseconds = 7 * 24 * 3600 * 1000;

/** Gives back its id. A worker makes it. `site` is the organization's address. */
export async function requestExport(tx: Tx, actor: User, export_type: number, site: string): Promise<number> {
  accessExports(actor);
  const { realm_id } = actor;
  await lockExports(tx, realm_id);
  await refuseTooMany(tx, realm_id);
  const added = await tx
    .insertInto("realm_exports")
    .values({ realm_id, acting_user_id: actor.id, export_type, secret: randomBytes(24).toString("base64url") })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (!added) throw new ApiError("There is already a data export in progress.");
  await makeLater(tx, added.id);
  await emitExports(tx, realm_id, site);
  return added.id;
}

async function refuseTooMany(tx: Tx, realmId: number): Promise<void> {
  const { count } = await tx
    .selectFrom("realm_exports")
    .select((select) => select.fn.countAll<number>().as("count"))
    .where("realm_id", "=", realmId)
    .where("requested_at", ">", new Date(Date.now() - weekMilliseconds))
    .executeTakeFirstOrThrow();
  if (count >= maxExportsPerWeek) throw new ApiError("Exceeded rate limit.");
}

/** What was told of it stays in the list; the file goes. */
export async function removeExport(tx: Tx, actor: User, id: number, site: string): Promise<void> {
  const found = await accessExportForRemoval(tx, actor, id);
  await tx.updateTable("realm_exports").set({ deleted_at: new Date() }).where("id", "=", found.id).execute();
  await enqueue(tx, removeStored, { keys: [exportKey(found)] });
  await emitExports(tx, actor.realm_id, site);
}
