import type { FieldType, ProfileField } from "@skein/api/profile-fields.ts";
import type { ProfileData } from "@skein/api/users.ts";
import { sql, type Selectable } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import type { CustomProfileFieldsTable } from "../../../platform/db/schema.ts";

export type Field = Omit<Selectable<CustomProfileFieldsTable>, "field_type"> & { field_type: FieldType };

export async function listFields(db: Db, realmId: number): Promise<Field[]> {
  const fields = await db
    .selectFrom("custom_profile_fields")
    .selectAll()
    .where("realm_id", "=", realmId)
    .orderBy("position")
    .orderBy("id")
    .execute();
  return fields as Field[]; // the table holds no other types
}

export const toFieldObject = (field: Field): ProfileField => ({
  id: field.id,
  type: field.field_type,
  order: field.position,
  name: field.name,
  hint: field.hint,
  field_data: field.field_data,
  ...(field.display_in_profile_summary ? { display_in_profile_summary: true } : {}),
  ...(field.use_for_user_matching ? { use_for_user_matching: true } : {}),
  required: field.required,
  editable_by_user: field.editable_by_user,
});

/** Profiles by user id: of all users, or of these only. */
export async function profilesOf(
  db: Db,
  realmId: number,
  userIds?: readonly number[],
): Promise<(userId: number) => ProfileData> {
  if (userIds?.length === 0) return () => ({});
  const named = userIds ? sql`and user_id = any(${userIds}::bigint[])` : sql``;
  const { rows } = await sql<{ user_id: number; profile: ProfileData }>`
    select user_id, json_object_agg(field_id, case when rendered_value is null
      then json_build_object('value', value)
      else json_build_object('value', value, 'rendered_value', rendered_value) end) as profile
    from custom_profile_values where realm_id = ${realmId} ${named}
    group by user_id`.execute(db);
  const profiles = new Map(rows.map(({ user_id, profile }) => [user_id, profile]));
  return (userId) => profiles.get(userId) ?? {};
}
