/** Validates values by the type of the field. Null and empty values clear the field. */
import { textLength } from "@skein/api/endpoint.ts";
import { fieldTypes, maxLongValueLength, maxShortValueLength, type ProfileValue } from "@skein/api/profile-fields.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { Seen } from "../users/guest-view.ts";
import { readOptions } from "./field-data.ts";
import type { Field } from "./queries.ts";

const maxUrlLength = 2048;
const maxPeople = 1000;

/** The value as stored: text, which for a list of users is the JSON of their ids. */
export function checkValue(field: Pick<Field, "field_type" | "field_data" | "name">, given: ProfileValue["value"]) {
  if (given === null || given.length === 0) return null;
  if (field.field_type === fieldTypes.USER.id) return checkedPeople(field.name, given);
  if (typeof given !== "string") throw new ApiError(`${field.name} is not a string`);
  switch (field.field_type) {
    case fieldTypes.SHORT_TEXT.id:
    case fieldTypes.EXTERNAL_ACCOUNT.id:
    case fieldTypes.PRONOUNS.id:
      return upTo(maxShortValueLength, field.name, given);
    case fieldTypes.LONG_TEXT.id:
      return upTo(maxLongValueLength, field.name, given);
    case fieldTypes.SELECT.id:
      if (!Object.hasOwn(readOptions(field.field_data), given))
        throw new ApiError(`'${given}' is not a valid choice for '${field.name}'.`);
      return given;
    case fieldTypes.DATE.id:
      if (!isDate(given)) throw new ApiError(`${field.name} is not a date`);
      return given;
    case fieldTypes.URL.id:
      if (!isUrl(given)) throw new ApiError(`${field.name} is not a URL`);
      return given;
  }
}

function upTo(maximum: number, name: string, text: string): string {
  if (textLength(text) > maximum) throw new ApiError(`${name} is too long (limit: ${maximum} characters)`);
  return text;
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // A day that the month does not have would roll over into the next month.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

const isUrl = (text: string): boolean =>
  text.length <= maxUrlLength && /^(?:https?|ftps?):\/\/\S+$/i.test(text) && URL.canParse(text);

function checkedPeople(name: string, given: string | number[]): string | null {
  const ids: unknown = typeof given === "string" ? parse(name, given) : given;
  if (!Array.isArray(ids)) throw new ApiError(`${name} is not a list`);
  if (!ids.every((id) => Number.isSafeInteger(id))) throw new ApiError(`${name} is not a list of integers`);
  if (ids.length > maxPeople) throw new ApiError(`${name} is too long (limit: ${maxPeople} people)`);
  return ids.length === 0 ? null : JSON.stringify([...new Set(ids)]);
}

function parse(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiError(`${name} is not a list`);
  }
}

/** The ids of the users in a validated value. */
export const namedPeople = (field: Pick<Field, "field_type">, value: string | null): number[] =>
  field.field_type === fieldTypes.USER.id && value !== null ? (JSON.parse(value) as number[]) : []; // by checkedPeople

/** Throws unless all of them are active people of the organization whom the actor can see. */
export async function refusePeople(
  db: Db,
  realmId: number,
  ids: readonly number[],
  sees: (user: Seen) => boolean,
): Promise<void> {
  if (ids.length === 0) return;
  const { rows } = await sql<Seen & { is_active: boolean }>`
    select id, is_bot, is_active from users
    where realm_id = ${realmId} and id = any(${ids}::bigint[]) and not is_system_bot`.execute(db);
  const known = new Map(rows.filter(sees).map((row) => [row.id, row]));
  for (const id of ids) {
    const person = known.get(id);
    if (!person) throw new ApiError(`Invalid user ID: ${id}`);
    if (!person.is_active) throw new ApiError(`User with ID ${id} is deactivated`);
    if (person.is_bot) throw new ApiError(`User with ID ${id} is a bot`);
  }
}
