/** Profile fields. The values are stored with the other parts of profiles: see profiles.ts. */
import { fieldTypes, maxFieldHintLength, maxFieldNameLength, type FieldType } from "@skein/api/profile-fields.ts";
import { z } from "zod";
import { ApiError } from "../../../../../errors.ts";
import type { User } from "../../../../../identity/account.ts";
import type { Tx } from "../../../../../platform/db/transaction.ts";
import { truncate } from "../../../../base/truncate.ts";
import { addField, isForMatching, updateField } from "../../../../people/profile-fields/definitions.ts";
import { listFields } from "../../../../people/profile-fields/queries.ts";
import type { SourceExtras, SourceProfileField } from "../../source.ts";
import type { Import } from "../import-context.ts";
import { recall } from "../map.ts";
import { storeOne } from "./store-one.ts";

export const toFieldName = (name: string): string => truncate(name.trim(), maxFieldNameLength, "…");

const types: readonly number[] = Object.values(fieldTypes).map(({ id }) => id);
export const isFieldType = (type: number): type is FieldType => types.includes(type);

/** One whose name the organization has already is used as it is. */
export async function storeProfileFields(run: Import, extras: SourceExtras, checkpoint: number): Promise<void> {
  const { db, realmId, owner } = run;
  const known = await recall(db, run, "field");
  const existing = new Map((await listFields(db, realmId)).map(({ name, id }) => [name.toLowerCase(), id]));
  for await (const field of extras.profileFields()) {
    const { type } = field;
    if (known.has(field.name) || !isFieldType(type)) continue;
    const name = toFieldName(field.name);
    const item = { kind: "field", key: field.name, what: `the profile field ${name}`, checkpoint } as const;
    const id = existing.get(name.toLowerCase());
    if (id !== undefined) continue;
    await storeOne(run, item, async (tx) => {
      const created = await addField(tx, owner, {
        field_type: type,
        name,
        hint: truncate(field.hint, maxFieldHintLength, "…"),
        field_data: readData(field),
        required: field.isRequired,
        editable_by_user: !field.isLocked,
        use_for_user_matching: field.isForMatching === true && isForMatching(type),
      });
      if (field.isInSummary) await showInSummary(tx, owner, created);
      return created;
    });
  }
}

/** Few fields fit into the summary, and others may be there already. */
async function showInSummary(tx: Tx, owner: User, id: number): Promise<void> {
  try {
    await updateField(tx, owner, id, { display_in_profile_summary: true });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

const fieldData = z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())]));

function readData({ data }: SourceProfileField): z.infer<typeof fieldData> {
  try {
    return fieldData.parse(JSON.parse(data));
  } catch {
    return {}; // checked by the server, which refuses a field that needs more
  }
}
