import type { RealmExport } from "@skein/api/exports.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { settingOf } from "../../people/settings/state.ts";
import { isPending, type ExportRow } from "./access.ts";
import { exportUrl } from "./address.ts";

const toSeconds = (time: Date | null): number | null => (time === null ? null : time.getTime() / 1000);

function toExport(row: ExportRow, site: string): RealmExport {
  const isThere = row.finished_at !== null && row.deleted_at === null;
  return {
    id: row.id,
    acting_user_id: row.acting_user_id,
    export_type: row.export_type,
    export_time: row.requested_at.getTime() / 1000,
    pending: isPending(row),
    failed_timestamp: toSeconds(row.failed_at),
    deleted_timestamp: toSeconds(row.deleted_at),
    export_url: isThere ? exportUrl(site, row) : null,
  };
}

/** `site` is the organization's URL. */
export async function listExports(db: Db, realmId: number, site: string): Promise<RealmExport[]> {
  const rows = await db
    .selectFrom("realm_exports")
    .selectAll()
    .where("realm_id", "=", realmId)
    .orderBy("requested_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => toExport(row, site));
}

/** Everybody who can consent: active users who are not bots. */
export async function listConsents(db: Db, realmId: number): Promise<{ user_id: number; consented: boolean }[]> {
  const people = await db
    .selectFrom("users")
    .select(["id", "settings"])
    .where("realm_id", "=", realmId)
    .where("is_active", "=", true)
    .where("is_bot", "=", false)
    .orderBy("id")
    .execute();
  return people.map((person) => ({
    user_id: person.id,
    consented: settingOf(person, "allow_private_data_export"),
  }));
}
