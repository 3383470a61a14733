/** A person's value of a custom profile field, saved when it is changed. */
import "../text/chunks/controls.ts";
import type { ProfileField } from "@skein/api/profile-fields.ts";
import { idsOf, suggestPeople, toChip } from "../parts/people-chips.ts";
import { findPerson } from "../store/people.ts";
import { t } from "../text/t.ts";
import { ChipsField } from "../ui/chips.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { TextSetting } from "./text-setting.tsx";
import { useSaving } from "./use-saving.ts";

export type FieldValue = string | number[] | null;

interface ProfileValueProps {
  field: ProfileField;
  /** As stored; empty if it is not filled in. */
  value: string;
  /** Why the reader cannot change it. */
  lock?: string | undefined;
  save: (value: FieldValue) => Promise<unknown>;
}

const types = { longText: 2, select: 3, date: 4, url: 5, people: 6 } as const;
const maxLengths: Readonly<Record<number, number>> = { [types.longText]: 500, [types.url]: 2048 };

interface Option {
  text: string;
  order: string;
}

const optionsOf = ({ field_data }: ProfileField): [key: string, option: Option][] =>
  Object.entries(JSON.parse(field_data === "" ? "{}" : field_data) as Record<string, Option>) // the server's format
    .toSorted(([, a], [, b]) => Number(a.order) - Number(b.order));

export function ProfileValue({ field, value, lock, save }: ProfileValueProps) {
  const { save: attempt, ...state } = useSaving();
  const hint = [field.hint, lock].filter(Boolean).join(" ");
  const shared = {
    ...state,
    label: field.name,
    hint: hint === "" ? undefined : hint,
    disabled: lock !== undefined,
  };
  const change = (next: FieldValue): void => void attempt(() => save(next));
  switch (field.type) {
    case types.select:
      return (
        <SelectField
          {...shared}
          value={value}
          options={[
            { value: "", label: t("profileValue.none") },
            ...optionsOf(field).map(([key, { text }]) => ({ value: key, label: text })),
          ]}
          onChange={(event) => change(event.currentTarget.value || null)}
        />
      );
    case types.date:
      return (
        <TextField
          {...shared}
          type="date"
          value={value}
          onChange={(event) => {
            if (event.currentTarget.value !== value) change(event.currentTarget.value || null);
          }}
        />
      );
    case types.people:
      return (
        <ChipsField
          {...shared}
          chips={(JSON.parse(value === "" ? "[]" : value) as number[]).map((id) => toChip(findPerson(id)))} // the server's format
          suggest={suggestPeople}
          onChange={(chips) => change(idsOf(chips))}
        />
      );
    default:
      return (
        <TextSetting
          {...shared}
          type={field.type === types.url ? "url" : "text"}
          control={{
            kind: "text",
            maxLength: maxLengths[field.type] ?? 50,
            ...(field.type === types.longText ? { rows: 3 } : {}),
          }}
          value={value}
          onChange={(next) => change(next === "" ? null : next)}
        />
      );
  }
}
