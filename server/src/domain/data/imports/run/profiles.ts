/** Avatars, statuses and profile fields of accounts that the import created. Accounts that existed keep theirs. */
import { maxAvatarFileMebibytes } from "@skein/api/avatars.ts";
import { fieldTypes, type FieldType } from "@skein/api/profile-fields.ts";
import { sql } from "kysely";
import { ApiError } from "../../../../errors.ts";
import type { User } from "../../../../identity/account.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { truncate } from "../../../base/truncate.ts";
import { setAvatar } from "../../../people/avatars/actions.ts";
import { storeAvatar } from "../../../people/avatars/file.ts";
import { addField } from "../../../people/profile-fields/definitions.ts";
import { listFields } from "../../../people/profile-fields/queries.ts";
import { updateProfileAs } from "../../../people/profile-fields/values.ts";
import { updateStatus } from "../../../people/status/actions.ts";
import type { SourceId, SourcePerson } from "../source.ts";
import { findAccount } from "./accounts.ts";
import { isFieldType, toFieldName } from "./extras/profile-fields.ts";
import { readSmallFile } from "./files.ts";
import type { Import } from "./import-context.ts";
import { recall } from "./map.ts";
import { findEmoji } from "./reactions.ts";
import { skipInto } from "./report.ts";

const maxStatusLength = 60;
const maxValueLength = 50;

export async function storeProfiles(run: Import, checkpoint: number): Promise<void> {
  const { db, realmId } = run;
  const people = await recall(db, run, "person");
  const emoji = await listEmoji(run);
  const types = await typesOfFields(run);
  const { rows } = await sql<{ n: number; data: SourcePerson }>`
    select n, data from import_people where realm_id = ${realmId} and is_new and n > ${checkpoint}
      and (data ? 'avatar' or data ? 'status' or data ? 'profile') order by n`.execute(db);
  for (const { n, data } of rows) {
    const account = await findAccount(run, people.get(data.id));
    if (!account) continue;
    const picture = await readAvatar(run, account, data);
    await run.batch("import a profile", n, async (tx, report) => {
      if (picture.key !== undefined) await setAvatar(tx, account, picture.key);
      if (picture.isMissing) skipInto(report)("avatar_not_in_archive", data.id);
      if (data.status) await storeStatus(tx, account, data.status, emoji);
      if (data.profile && !account.is_bot) await storeFields(tx, run, account, data.profile, { types, people });
    });
    run.onProgress({ phase: "profiles", done: n, total: rows.at(-1)?.n ?? 0 });
  }
}

async function listEmoji({ db, realmId }: Import): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("custom_emoji")
    .select(["name", "id"])
    .where("realm_id", "=", realmId)
    .where("deactivated", "=", false)
    .execute();
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/** The key of the stored picture, or that the archive does not contain it. */
async function readAvatar(
  run: Import,
  account: User,
  { avatar }: SourcePerson,
): Promise<{ key?: string; isMissing?: true }> {
  if (avatar?.entry === undefined) return {};
  const bytes = await readSmallFile(run, avatar, maxAvatarFileMebibytes * 1024 ** 2);
  if (!bytes) return { isMissing: true };
  try {
    const file = { name: avatar.name, contentType: avatar.type ?? "", bytes };
    return { key: await storeAvatar(run.ctx.files, account, [file]) };
  } catch (error) {
    if (error instanceof ApiError) return {}; // not a picture
    throw error;
  }
}

async function storeStatus(
  tx: Tx,
  account: User,
  { text, emojiName }: NonNullable<SourcePerson["status"]>,
  custom: ReadonlyMap<string, number>,
): Promise<void> {
  const emoji = emojiName === undefined ? undefined : findEmoji(emojiName, custom);
  await updateStatus(tx, account, { status_text: truncate(text.trim(), maxStatusLength, "…"), emoji });
}

type ProfileValue = NonNullable<SourcePerson["profile"]>[number];

/** What the values need: types of fields by name, where the source has types, and our ids of people. */
interface Fields {
  types: ReadonlyMap<string, FieldType>;
  people: ReadonlyMap<SourceId, number>;
}

async function typesOfFields({ source: { extras } }: Import): Promise<Map<string, FieldType>> {
  const types = new Map<string, FieldType>();
  if (!extras) return types;
  for await (const { name, type } of extras.profileFields()) if (isFieldType(type)) types.set(name, type);
  return types;
}

const textTypes: readonly number[] = [fieldTypes.SHORT_TEXT.id, fieldTypes.LONG_TEXT.id];
const isText = (type: number): boolean => textTypes.includes(type);

async function storeFields(
  tx: Tx,
  { owner, realmId }: Import,
  account: User,
  profile: NonNullable<SourcePerson["profile"]>,
  { types, people }: Fields,
): Promise<void> {
  const known = new Map((await listFields(tx, realmId)).map((field) => [field.name.toLowerCase(), field]));
  for (const given of profile) {
    const name = toFieldName(given.field);
    const value = await toValue(tx, given, people);
    if (name === "" || value === "") continue;
    const existing = known.get(name.toLowerCase());
    const type = types.get(given.field) ?? textTypeOf(value);
    // A value of one type means nothing in a field of another one.
    if (existing && existing.field_type !== type && !(isText(existing.field_type) && isText(type))) continue;
    const id = existing?.id ?? (await addField(tx, owner, { field_type: type, name }));
    const isShort = (existing?.field_type ?? type) === fieldTypes.SHORT_TEXT.id;
    try {
      await updateProfileAs(tx, owner, account, [
        { id, value: isShort ? truncate(value, maxValueLength, "…") : value },
      ]);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // not a value of its type
    }
    if (!existing) for (const one of await listFields(tx, realmId)) known.set(one.name.toLowerCase(), one);
  }
}

const textTypeOf = (value: string): FieldType =>
  value.length > maxValueLength ? fieldTypes.LONG_TEXT.id : fieldTypes.SHORT_TEXT.id;

/** People are named by our ids, as far as they are active. */
async function toValue(tx: Tx, { value, people: named }: ProfileValue, people: Fields["people"]): Promise<string> {
  if (!named) return value.trim();
  const ids = named.flatMap((id) => people.get(id) ?? []);
  const { rows } = await sql<{ id: number }>`
    select id from users where id = any(${ids}::bigint[]) and is_active and not is_bot`.execute(tx);
  const active = new Set(rows.map((row) => row.id));
  const shown = ids.filter((id) => active.has(id));
  return shown.length === 0 ? "" : JSON.stringify(shown);
}
