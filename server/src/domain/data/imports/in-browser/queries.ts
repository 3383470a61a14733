import { maxPlanRows, type PlannedChannel, type PlannedPerson, type RealmImport } from "@skein/api/imports.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import { root } from "../../../messages/uploads/resumable/upload.ts";
import type { RealmImportRow } from "./access.ts";

const toSeconds = (time: Date): number => Math.floor(time.getTime() / 1000);

/** The columns that are JSON or a choice hold what this server has written. */
export const toImport = (row: RealmImportRow): RealmImport => ({
  id: row.id,
  acting_user_id: row.acting_user_id,
  file_name: row.file_name,
  size: row.size,
  state: row.state as RealmImport["state"],
  upload_url: row.upload_id === null ? null : `${root}/${row.upload_id}`,
  created_timestamp: toSeconds(row.created_at),
  finished_timestamp: row.finished_at === null ? null : toSeconds(row.finished_at),
  unthreaded: row.unthreaded as RealmImport["unthreaded"],
  plan_revision: row.plan_revision,
  inspection: row.inspection as RealmImport["inspection"],
  progress: row.progress as RealmImport["progress"],
  reason: row.reason,
  report: row.report as RealmImport["report"],
});

const maxListed = 20;

export async function listImports(db: Db, realmId: number): Promise<RealmImport[]> {
  const rows = await db
    .selectFrom("realm_imports")
    .selectAll()
    .where("realm_id", "=", realmId)
    .orderBy("id", "desc")
    .limit(maxListed)
    .execute();
  return rows.map(toImport);
}

export async function listPlannedPeople(db: Db, importId: number, after: number): Promise<PlannedPerson[]> {
  const rows = await db
    .selectFrom("realm_import_people")
    .select(["number", "source_id as id", "name", "email", "account", "is_bot", "is_active"])
    .where("import_id", "=", importId)
    .where("number", ">", after)
    .orderBy("number")
    .limit(maxPlanRows)
    .execute();
  return rows.map((row) => ({ ...row, account: row.account as PlannedPerson["account"] })); // as it was stored
}

export async function listPlannedChannels(db: Db, importId: number, after: number): Promise<PlannedChannel[]> {
  const rows = await db
    .selectFrom("realm_import_channels")
    .select(["number", "source_id as id", "source_name", "name", "action", "merged_into as into"])
    .select(["is_private", "is_archived", "members"])
    .where("import_id", "=", importId)
    .where("number", ">", after)
    .orderBy("number")
    .limit(maxPlanRows)
    .execute();
  return rows.map((row) => ({ ...row, action: row.action as PlannedChannel["action"] })); // as it was stored
}
