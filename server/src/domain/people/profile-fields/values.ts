/** Sets profile values, by the users themselves or by administrators. Emits each change to the users who can see them. */
import { fieldTypes, type ProfileValue } from "@skein/api/profile-fields.ts";
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import { ApiError, notForBots } from "../../../errors.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import { renderMarkdown } from "../../../markdown/render.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { toMembersAnd, toUsersSeeing } from "../users/audience.ts";
import { everyone, guestsSeeingEach, visibilityFor } from "../users/guest-view.ts";
import { fieldNotFound } from "./access.ts";
import { checkValue, namedPeople, refusePeople } from "./check-value.ts";
import type { Field } from "./queries.ts";

interface Person {
  id: number;
  realm_id: number;
  is_bot: boolean;
}

/** For an administrator. The caller has checked permissions. */
export async function updateProfileAs(
  tx: Tx,
  actor: User,
  person: Person,
  given: readonly ProfileValue[],
): Promise<void> {
  if (person.is_bot) throw new ApiError("Bots cannot have custom profile fields.");
  const fields = await lockFields(tx, person.realm_id, given);
  await store(tx, actor, person, fields, given);
}

/** For the organization's directory. */
export async function updateProfileByDirectory(tx: Tx, person: Person, given: readonly ProfileValue[]): Promise<void> {
  const fields = await lockFields(tx, person.realm_id, given);
  await store(tx, undefined, person, fields, given);
}

/** Only administrators may fill in some fields. */
export async function updateOwnProfile(tx: Tx, user: User, given: readonly ProfileValue[]): Promise<void> {
  if (user.is_bot) throw notForBots();
  const fields = await lockFields(tx, user.realm_id, given);
  const closed = [...fields.values()].some((field) => !field.editable_by_user);
  if (closed && user.role > roles.administrator)
    throw new ApiError("You are not allowed to change this field. Contact an administrator to update it.");
  await store(tx, user, user, fields, given);
}

/** The named fields, protected from deletion until the transaction ends. */
async function lockFields(tx: Tx, realmId: number, given: readonly ProfileValue[]): Promise<Map<number, Field>> {
  const ids = given.map(({ id }) => id);
  const { rows } = await sql<Field>`
    select * from custom_profile_fields where realm_id = ${realmId} and id = any(${ids}::bigint[]) for share`.execute(
    tx,
  );
  const fields = new Map(rows.map((field) => [field.id, field]));
  const unknown = ids.find((id) => !fields.has(id));
  if (unknown !== undefined) throw fieldNotFound(unknown);
  return fields;
}

async function store(
  tx: Tx,
  actor: User | undefined,
  person: Person,
  fields: ReadonlyMap<number, Field>,
  given: readonly ProfileValue[],
): Promise<void> {
  // The last of several values for one field wins.
  const last = new Map(given.map(({ id, value }) => [id, value]));
  const values = [...fields.values()].map((field) => {
    const value = checkValue(field, last.get(field.id) ?? null);
    return { field, value, rendered: value !== null && isMarkdown(field) ? renderMarkdown(value).html : null };
  });
  await refusePeople(
    tx,
    person.realm_id,
    values.flatMap(({ field, value }) => namedPeople(field, value)),
    actor ? await visibilityFor(tx, actor) : everyone,
  );

  const filled = values.filter(({ value }) => value !== null);
  const emptied = values.filter(({ value }) => value === null).map(({ field }) => field.id);
  const { rows } = await sql<{ field_id: number }>`
    with emptied as (
      delete from custom_profile_values where user_id = ${person.id} and field_id = any(${emptied}::bigint[])
      returning field_id
    ),
    filled as (
      insert into custom_profile_values (user_id, field_id, realm_id, value, rendered_value)
      select ${person.id}, field_id, ${person.realm_id}, value, rendered
      from unnest(${filled.map(({ field }) => field.id)}::bigint[], ${filled.map(({ value }) => value)}::text[],
        ${filled.map(({ rendered }) => rendered)}::text[]) as new (field_id, value, rendered)
      on conflict (user_id, field_id) do update set value = excluded.value, rendered_value = excluded.rendered_value
        where custom_profile_values.value <> excluded.value
      returning field_id
    )
    select field_id from emptied union all select field_id from filled`.execute(tx);
  if (rows.length === 0) return;
  const changed = new Set(rows.map((row) => row.field_id));
  const audience = await toUsersSeeing(tx, { id: person.realm_id }, person);
  for (const { field, value, rendered } of values) {
    if (!changed.has(field.id)) continue;
    const rendered_value = rendered === null ? {} : { rendered_value: rendered };
    const custom_profile_field = { id: field.id, value, ...rendered_value };
    const about = { user_id: person.id, custom_profile_field };
    emit(tx, person.realm_id, audience, { type: "realm_user", op: "update", person: about });
  }
}

const isMarkdown = ({ field_type }: Field): boolean =>
  field_type === fieldTypes.SHORT_TEXT.id || field_type === fieldTypes.LONG_TEXT.id;

/** Removes these values of a field from all profiles. */
export async function removeValues(tx: Tx, field: Field, values: readonly string[]): Promise<void> {
  const { rows } = await sql<{ user_id: number }>`
    delete from custom_profile_values where field_id = ${field.id} and value = any(${values}::text[])
    returning user_id`.execute(tx);
  const ids = rows.map((row) => row.user_id).toSorted((a, b) => a - b);
  const guests = await guestsSeeingEach(tx, field.realm_id, ids);
  for (const user_id of ids) {
    const person = { user_id, custom_profile_field: { id: field.id, value: null } };
    const audience = toMembersAnd(guests && (guests.get(user_id) ?? []));
    emit(tx, field.realm_id, audience, { type: "realm_user", op: "update", person });
  }
}

/** Removes all values from a person's profile. */
export async function clearProfile(tx: Tx, person: Person): Promise<void> {
  const { rows } = await sql<{ field_id: number }>`
    delete from custom_profile_values where user_id = ${person.id} returning field_id`.execute(tx);
  if (rows.length === 0) return;
  const audience = await toUsersSeeing(tx, { id: person.realm_id }, person);
  for (const { field_id } of rows) {
    const about = { user_id: person.id, custom_profile_field: { id: field_id, value: null } };
    emit(tx, person.realm_id, audience, { type: "realm_user", op: "update", person: about });
  }
}
