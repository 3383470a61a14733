import { randomBytes } from "node:crypto";
import { exportTypes, maxExportsPerWeek, type RequestedExportType } from "@skein/api/exports.ts";
import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm, User } from "../../../identity/account.ts";
import { enqueue } from "../../../jobs/job.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { removeStored } from "../../messages/uploads/jobs.ts";
import { accessExportForRemoval, accessExports, lockExports, type ExportRow } from "./access.ts";
import { exportKey } from "./address.ts";
import { emitExports } from "./events.ts";
import { enqueueExport } from "./jobs.ts";

/** The type as it is stored. */
export function toExportType(requested: RequestedExportType): number {
  if (requested === "full_without_consent")
    throw new ApiError("Exports of private data without consent are not enabled in this organization.");
  if (typeof requested === "number") return requested;
  return requested === "public" ? exportTypes.public : exportTypes.withConsent;
}

const weekMilliseconds = 7 * 24 * 3600 * 1000;

/** Returns the export's ID. A worker creates the file. `site` is the organization's URL. */
export async function requestExport(tx: Tx, actor: User, export_type: number, site: string): Promise<number> {
  accessExports(actor);
  const { realm_id } = actor;
  await lockExports(tx, realm_id);
  await refuseTooMany(tx, realm_id);
  return addExport(tx, { realm_id, acting_user_id: actor.id, export_type }, site);
}

/** By the operator, however many there were. It is listed as the longest-standing owner's, who is notified. */
export async function requestOperatorExport(tx: Tx, realm: Realm, export_type: number, site: string): Promise<number> {
  await lockExports(tx, realm.id);
  const owner = await tx
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realm.id)
    .where("role", "=", roles.owner)
    .where("is_bot", "=", false)
    .orderBy("is_active", "desc")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  if (!owner) throw new ApiError("An organization without an owner cannot be exported. Create one first.");
  return addExport(tx, { realm_id: realm.id, acting_user_id: owner.id, export_type }, site);
}

type NewExport = Pick<ExportRow, "realm_id" | "acting_user_id" | "export_type">;

async function addExport(tx: Tx, requested: NewExport, site: string): Promise<number> {
  const { realm_id } = requested;
  const added = await tx
    .insertInto("realm_exports")
    .values({ ...requested, secret: randomBytes(24).toString("base64url") })
    .onConflict((conflict) => conflict.doNothing())
    .returning("id")
    .executeTakeFirst();
  if (!added) throw new ApiError("There is already a data export in progress.");
  await enqueueExport(tx, added.id);
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

/** Removes the file. The export stays in the list. */
export async function removeExport(tx: Tx, actor: User, id: number, site: string): Promise<void> {
  const found = await accessExportForRemoval(tx, actor, id);
  await tx.updateTable("realm_exports").set({ deleted_at: new Date() }).where("id", "=", found.id).execute();
  await enqueue(tx, removeStored, { keys: [exportKey(found)] });
  await emitExports(tx, actor.realm_id, site);
}
