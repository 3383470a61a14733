/**
 * Who has a permission: roles, groups and people, as chips. Each chip that is added or removed is saved at once; without
 * any chip, nobody has the permission.
 */
import "../text/chunks/controls.ts";
import type { GroupSettingValue } from "@skein/api/group-setting.ts";
import { toChip } from "../parts/people-chips.ts";
import {
  findGroup,
  groupName,
  groupSettingOf,
  groupsFor,
  mayBeNobody,
  membersOf,
  needsRole,
} from "../store/group-settings.ts";
import { peopleMatcher } from "../store/people-matcher.ts";
import { findPerson } from "../store/people.ts";
import { Matcher } from "../text/matching.ts";
import { t } from "../text/t.ts";
import { ChipsField, type Chip } from "../ui/chips.tsx";
import { SelectField } from "../ui/field.tsx";
import type { ControlProps } from "./setting-control.tsx";

interface PermissionFieldProps extends ControlProps<GroupSettingValue> {
  kind: "realm" | "stream" | "group";
  /** Of the permission. */
  name: string;
}

const maxSuggestions = 8;
const groupKey = /^group (\d+)$/;
const personKey = /^person (\d+)$/;

const groupChip = (id: number): Chip => {
  const group = findGroup(id);
  return { key: `group ${id}`, label: group ? groupName(group) : t("setting.unknownGroup"), icon: "users" };
};
const personChip = (id: number): Chip => ({ ...toChip(findPerson(id)), key: `person ${id}` });

const idsBy = (chips: readonly Chip[], pattern: RegExp): number[] =>
  chips.flatMap(({ key }) => {
    const id = pattern.exec(key)?.[1];
    return id === undefined ? [] : [Number(id)];
  });

export function PermissionField({ kind, name, value, onChange, ...rest }: PermissionFieldProps) {
  const accepted = groupsFor(kind, name);
  const { people, groups } = membersOf(value);
  if (needsRole(kind, name)) {
    const nobody = mayBeNobody(kind, name) ? [{ value: "", label: t("role.nobody") }] : [];
    return (
      <SelectField
        {...rest}
        value={String(groups[0] ?? "")}
        options={[...accepted.map((group) => ({ value: String(group.id), label: groupName(group) })), ...nobody]}
        onChange={(event) => {
          const chosen = event.currentTarget.value;
          onChange(groupSettingOf({ people: [], groups: chosen === "" ? [] : [Number(chosen)] }));
        }}
      />
    );
  }
  const suggest = (query: string): Chip[] => {
    const matching = new Matcher([...accepted], groupName).find(query, maxSuggestions).map(({ id }) => groupChip(id));
    if (query === "") return matching;
    const found = peopleMatcher.value.find(query, maxSuggestions, ({ is_bot }) => Number(!is_bot));
    return [...matching, ...found.map(({ user_id }) => personChip(user_id))].slice(0, maxSuggestions);
  };
  return (
    <ChipsField
      {...rest}
      chips={[...groups.map(groupChip), ...people.map(personChip)]}
      placeholder={t("role.nobody")}
      suggest={suggest}
      onChange={(chips) =>
        onChange(groupSettingOf({ groups: idsBy(chips, groupKey), people: idsBy(chips, personKey) }))
      }
    />
  );
}
