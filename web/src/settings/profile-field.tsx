/** A field that the organization has added to profiles, with the control for its kind. */
import "../text/chunks/settings.ts";
import type { ProfileField } from "@skein/api/profile-fields.ts";
import type { ControlProps } from "../controls/setting-control.tsx";
import { TextSetting } from "../controls/text-setting.tsx";
import { useOptimistic } from "../controls/use-optimistic.ts";
import { elementId } from "../descriptors/setting.ts";
import { idsOf, suggestPeople, toChip } from "../parts/people-chips.ts";
import { ownField, saveField } from "../store/own-profile.ts";
import { findPerson } from "../store/people.ts";
import { isAdministrator } from "../store/roles.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { ChipsField } from "../ui/chips.tsx";
import { SelectField } from "../ui/field.tsx";

const kinds = { shortText: 1, longText: 2, choice: 3, date: 4, link: 5, people: 6, account: 7, pronouns: 8 } as const;

/** The server's limits. */
const maxShort = 50;
const maxLong = 500;
const maxLink = 2048;

export function ProfileFieldControl({ field }: { field: ProfileField }) {
  const value = useOptimistic(ownField(field.id), (changed) => saveField(field.id, changed));
  const isLocked = !field.editable_by_user && !isAdministrator();
  const hint = [
    field.hint,
    kindHint(field),
    isLocked && t("settings.fieldLocked"),
    field.required && value.value === "" && t("settings.fieldRequired"),
  ]
    .filter(Boolean)
    .join(" ");
  const props: ControlProps<string> = {
    ...value,
    label: field.name,
    hint: hint === "" ? undefined : hint,
    disabled: isLocked,
  };
  return (
    <div id={elementId(`field-${field.id}`)}>
      <Drawn field={field} {...props} />
    </div>
  );
}

function kindHint({ type, field_data }: ProfileField): string {
  if (type === kinds.longText) return t("settings.fieldMarkdown");
  if (type !== kinds.account) return "";
  const { subtype = "" } = parse(field_data) as { subtype?: string }; // the server's format
  return part("realm_default_external_accounts").value?.[subtype]?.hint ?? t("settings.fieldAccount");
}

function parse(json: string): unknown {
  return json === "" ? {} : (JSON.parse(json) as unknown);
}

function Drawn({ field, ...props }: ControlProps<string> & { field: ProfileField }) {
  switch (field.type) {
    case kinds.longText:
      return <TextSetting {...props} control={{ kind: "text", maxLength: maxLong, rows: 3 }} />;
    case kinds.link:
      return <TextSetting {...props} type="url" control={{ kind: "text", maxLength: maxLink }} />;
    case kinds.choice:
      return <ChoiceField {...props} data={field.field_data} />;
    case kinds.date:
      return <TextSetting {...props} type="date" control={{ kind: "text", maxLength: maxShort }} />;
    case kinds.people:
      return <PeopleField {...props} />;
    case kinds.shortText:
    case kinds.account:
    case kinds.pronouns:
      return <TextSetting {...props} control={{ kind: "text", maxLength: maxShort }} />;
  }
}

function ChoiceField({ data, onChange, ...props }: ControlProps<string> & { data: string }) {
  const choices = parse(data) as Record<string, { text: string; order: string }>; // the server's format
  const options = Object.entries(choices)
    .toSorted(([, a], [, b]) => Number(a.order) - Number(b.order))
    .map(([value, { text }]) => ({ value, label: text }));
  return (
    <SelectField
      {...props}
      options={[{ value: "", label: t("settings.fieldNone") }, ...options]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The value is a list of user ids. */
function PeopleField({ value, onChange, ...props }: ControlProps<string>) {
  const ids = value === "" ? [] : (JSON.parse(value) as number[]); // the server's format
  return (
    <ChipsField
      {...props}
      chips={ids.map((id) => toChip(findPerson(id)))}
      suggest={suggestPeople}
      onChange={(chips) => onChange(chips.length === 0 ? "" : JSON.stringify(idsOf(chips)))}
    />
  );
}
