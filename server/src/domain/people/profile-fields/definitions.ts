/** Creates and changes fields. Each change emits the list of all fields to everyone. */
import { textLength, type ParamsOf } from "@skein/api/endpoint.ts";
import {
  fieldTypes,
  maxFieldHintLength,
  maxFieldNameLength,
  maxFieldsInSummary,
  type createProfileField,
  type FieldType,
} from "@skein/api/profile-fields.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { accessFieldsForUpdate, fieldNotFound } from "./access.ts";
import { customSubtype, externalAccounts } from "./external-accounts.ts";
import { readAccountData, readOptions, toFieldData } from "./field-data.ts";
import { listFields, toFieldObject, type Field } from "./queries.ts";
import { removeValues } from "./values.ts";

type NewField = ParamsOf<typeof createProfileField>;
export type FieldChange = Omit<NewField, "field_type">;

/** Returns its id. A new field comes last. */
export async function addField(tx: Tx, actor: User, given: NewField): Promise<number> {
  const fields = await accessFieldsForUpdate(tx, actor);
  const { field_type } = given;
  const field_data = toFieldData(field_type, given.field_data ?? {});
  const { name = "", hint = "" } = knownAccount(field_type, field_data) ?? given;
  const display_in_profile_summary = given.display_in_profile_summary ?? false;
  if (display_in_profile_summary) refuseInSummary(fields, field_type);
  const use_for_user_matching = given.use_for_user_matching ?? false;
  if (use_for_user_matching) refuseForMatching(field_type);
  refuseTakenName(fields, name);
  const { id } = await tx
    .insertInto("custom_profile_fields")
    .values({
      realm_id: actor.realm_id,
      field_type,
      name: checkedName(name),
      hint: checkedHint(hint),
      field_data,
      position: Math.max(0, ...fields.map((field) => field.position)) + 1,
      display_in_profile_summary,
      use_for_user_matching,
      required: given.required ?? false,
      editable_by_user: given.editable_by_user ?? true,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await emitFields(tx, actor.realm_id);
  return id;
}

export async function updateField(tx: Tx, actor: User, id: number, given: FieldChange): Promise<void> {
  const fields = await accessFieldsForUpdate(tx, actor);
  const field = fields.find((one) => one.id === id);
  if (!field) throw fieldNotFound(id);
  const name = given.name === undefined ? field.name : checkedName(given.name);
  const hint = given.hint === undefined ? field.hint : checkedHint(given.hint);
  const field_data =
    given.field_data === undefined ? field.field_data : toFieldData(field.field_type, given.field_data);
  const isKnownAccount = knownAccount(field.field_type, field.field_data) !== undefined;
  if (isKnownAccount && (name !== field.name || hint !== field.hint || field_data !== field.field_data))
    throw new ApiError("Default custom field cannot be updated.");
  const others = fields.filter((other) => other.id !== id);
  refuseTakenName(others, name);
  const inSummary = given.display_in_profile_summary ?? field.display_in_profile_summary;
  if (inSummary) refuseInSummary(others, field.field_type);
  const use_for_user_matching = given.use_for_user_matching ?? field.use_for_user_matching;
  if (use_for_user_matching) refuseForMatching(field.field_type);
  await tx
    .updateTable("custom_profile_fields")
    .set({
      name,
      hint,
      field_data,
      display_in_profile_summary: inSummary,
      use_for_user_matching,
      required: given.required ?? field.required,
      editable_by_user: given.editable_by_user ?? field.editable_by_user,
    })
    .where("realm_id", "=", actor.realm_id)
    .where("id", "=", id)
    .execute();
  await emitFields(tx, actor.realm_id);
  if (field.field_type === fieldTypes.SELECT.id) await clearRemovedOptions(tx, field, field_data);
}

export async function removeField(tx: Tx, actor: User, id: number): Promise<void> {
  const fields = await accessFieldsForUpdate(tx, actor);
  if (!fields.some((field) => field.id === id)) throw fieldNotFound(id);
  await tx.deleteFrom("custom_profile_fields").where("realm_id", "=", actor.realm_id).where("id", "=", id).execute();
  await emitFields(tx, actor.realm_id);
}

export async function reorderFields(tx: Tx, actor: User, order: number[]): Promise<void> {
  const fields = await accessFieldsForUpdate(tx, actor);
  const named = new Set(order);
  const isComplete = fields.length === order.length && fields.every((field) => named.has(field.id));
  if (!isComplete) throw new ApiError("Invalid order mapping.");
  await sql`
    update custom_profile_fields set position = new.position
    from unnest(${order}::bigint[]) with ordinality as new (id, position)
    where custom_profile_fields.realm_id = ${actor.realm_id} and custom_profile_fields.id = new.id`.execute(tx);
  await emitFields(tx, actor.realm_id);
}

function checkedName(given: string): string {
  const name = given.trim();
  if (name === "") throw new ApiError("Label cannot be blank.");
  if (textLength(name) > maxFieldNameLength)
    throw new ApiError(`name is too long (limit: ${maxFieldNameLength} characters)`);
  return name;
}

function checkedHint(hint: string): string {
  if (textLength(hint) > maxFieldHintLength)
    throw new ApiError(`hint is too long (limit: ${maxFieldHintLength} characters)`);
  return hint;
}

function refuseTakenName(others: readonly Field[], name: string): void {
  if (others.some((field) => field.name === name.trim())) throw new ApiError("A field with that label already exists.");
}

/** These types take too much room for a summary. */
const neverInSummary: FieldType[] = [fieldTypes.LONG_TEXT.id, fieldTypes.USER.id];

function refuseInSummary(others: readonly Field[], type: FieldType): void {
  if (neverInSummary.includes(type)) throw new ApiError("Field type not supported for display in profile summary.");
  if (others.filter((field) => field.display_in_profile_summary).length >= maxFieldsInSummary)
    throw new ApiError("Only 2 custom profile fields can be displayed in the profile summary.");
}

/** Their values are names that somebody may look for. */
const usedForMatching: FieldType[] = [fieldTypes.SHORT_TEXT.id, fieldTypes.EXTERNAL_ACCOUNT.id];

export const isForMatching = (type: FieldType): boolean => usedForMatching.includes(type);

function refuseForMatching(type: FieldType): void {
  if (!isForMatching(type)) throw new ApiError("Field type not supported for use for user matching.");
}

/** A known type of external account, which determines the field's name and hint. */
function knownAccount(type: FieldType, fieldData: string): { name: string; hint: string } | undefined {
  if (type !== fieldTypes.EXTERNAL_ACCOUNT.id) return undefined;
  const { subtype } = readAccountData(fieldData);
  const known = subtype === customSubtype ? undefined : externalAccounts[subtype];
  return known && { name: known.text, hint: known.hint };
}

async function clearRemovedOptions(tx: Tx, before: Field, fieldData: string): Promise<void> {
  const left = readOptions(fieldData);
  const removed = Object.keys(readOptions(before.field_data)).filter((key) => !Object.hasOwn(left, key));
  if (removed.length > 0) await removeValues(tx, before, removed);
}

async function emitFields(tx: Tx, realmId: number): Promise<void> {
  const fields = (await listFields(tx, realmId)).map(toFieldObject);
  emit(tx, realmId, toEveryone, { type: "custom_profile_fields", fields });
}
