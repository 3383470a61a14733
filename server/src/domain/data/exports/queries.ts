import { exportTypeNames, type RealmExport } from "@skein/api/exports.ts";
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
    // The table holds no other types that are listed.
    export_type: exportTypeNames[row.export_type as keyof typeof exportTypeNames],
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
export async function listConsents(db: Db, realmId: number) {
  const people = await db
    .selectFrom("users")
    .select(["id", "settings", "email_address_visibility"])
    .where("realm_id", "=", realmId)
    .where("is_active", "=", true)
    .where("is_bot", "=", false)
    .orderBy("id")
    .execute();
  return people.map((person) => ({
    user_id: person.id,
    consented: settingOf(person, "allow_private_data_export"),
    email_address_visibility: person.email_address_visibility,
  }));
}
