/** Adds or changes a profile field. */
import "../text/chunks/fields.ts";
import "../text/chunks/organization.ts";
import "../text/chunks/organization-lists.ts";
import type { FieldType, ProfileField } from "@skein/api/profile-fields.ts";
import { createProfileField, updateProfileField } from "@skein/api/routes/profile-fields.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { useAction } from "../controls/use-action.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { CheckField } from "../ui/choices.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FieldError, SelectField, TextField } from "../ui/field.tsx";
import { OptionsEditor } from "./options-editor.tsx";
import {
  accountOf,
  customAccount,
  fieldType,
  fieldTypeNames,
  fitsSummary,
  maxInSummary,
  newOption,
  optionsOf,
  toOptionData,
  type Option,
} from "./profile-field-types.ts";

interface ProfileFieldDialogProps {
  fields: readonly ProfileField[];
  edited: ProfileField | undefined;
  onClose: () => void;
}

interface Draft {
  type: FieldType;
  name: string;
  hint: string;
  subtype: string;
  urlPattern: string;
  options: Option[];
  required: boolean;
  inSummary: boolean;
  editableByUser: boolean;
}

function draftOf(field: ProfileField | undefined): Draft {
  const account = accountOf(field?.type === fieldType.account ? field.field_data : "");
  return {
    type: field?.type ?? fieldType.shortText,
    name: field?.name ?? "",
    hint: field?.hint ?? "",
    subtype: account.subtype,
    urlPattern: account.url_pattern ?? "",
    options: field?.type === fieldType.select ? optionsOf(field.field_data) : [newOption([])],
    required: field?.required ?? false,
    inSummary: field?.display_in_profile_summary ?? false,
    editableByUser: field?.editable_by_user ?? true,
  };
}

function dataOf({ type, options, subtype, urlPattern }: Draft) {
  if (type === fieldType.select) return { field_data: toOptionData(options.filter(({ text }) => text.trim() !== "")) };
  if (type !== fieldType.account) return {};
  return { field_data: subtype === customAccount ? { subtype, url_pattern: urlPattern.trim() } : { subtype } };
}

export function ProfileFieldDialog({ fields, edited, onClose }: ProfileFieldDialogProps) {
  const [draft, setDraft] = useState(() => draftOf(edited));
  const { isBusy, error, run } = useAction();
  const change = (changed: Partial<Draft>): void => setDraft({ ...draft, ...changed });
  const { type, options } = draft;
  const accounts = part("realm_default_external_accounts").value ?? {};
  /** Its name and hint are fixed. */
  const isKnownAccount = type === fieldType.account && draft.subtype !== customAccount;
  const inSummary = fields.filter(
    ({ id, display_in_profile_summary }) => display_in_profile_summary && id !== edited?.id,
  );
  const isSummaryFull = inSummary.length >= maxInSummary;
  const isComplete =
    (isKnownAccount || draft.name.trim() !== "") &&
    (type !== fieldType.select || options.some(({ text }) => text.trim() !== "")) &&
    (type !== fieldType.account || isKnownAccount || draft.urlPattern.trim() !== "");
  const removedOptions =
    edited?.type === fieldType.select
      ? optionsOf(edited.field_data).filter(({ key }) => !options.some((option) => option.key === key))
      : [];

  const save = async (): Promise<void> => {
    if (!isComplete) return;
    const text = isKnownAccount ? {} : { name: draft.name.trim(), hint: draft.hint.trim() };
    const shared = {
      ...text,
      display_in_profile_summary: draft.inSummary && fitsSummary(type),
      required: draft.required,
      editable_by_user: draft.editableByUser,
    };
    const isSaved = await run(() =>
      edited
        ? call(updateProfileField, { field_id: edited.id, ...shared, ...(isKnownAccount ? {} : dataOf(draft)) })
        : call(createProfileField, { field_type: type, ...shared, ...dataOf(draft) }),
    );
    if (isSaved) onClose();
  };

  return (
    <Dialog
      title={edited ? t("organization.fields.edit", { name: edited.name }) : t("organization.fields.add")}
      keepsOnOutsidePress
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy} aria-disabled={!isComplete}>
            {t(edited ? "organization.save" : "organization.fields.add")}
          </Button>
        </>
      }
    >
      <SelectField
        label={t("organization.fields.type")}
        hint={edited ? t("organization.fields.type.fixed") : undefined}
        disabled={edited !== undefined}
        value={String(type)}
        options={Object.values(fieldType).map((each) => ({ value: String(each), label: t(fieldTypeNames[each]) }))}
        onChange={(event) => change({ type: Number(event.currentTarget.value) as FieldType })} // one of the options
      />
      {type === fieldType.account && (
        <SelectField
          label={t("organization.fields.account")}
          disabled={edited !== undefined}
          value={draft.subtype}
          options={[
            ...Object.entries(accounts).map(([value, { name }]) => ({ value, label: name })),
            { value: customAccount, label: t("organization.fields.account.custom") },
          ]}
          onChange={(event) => change({ subtype: event.currentTarget.value })}
        />
      )}
      {isKnownAccount ? null : (
        <>
          <TextField
            label={t("organization.fields.name")}
            value={draft.name}
            maxLength={40}
            autofocus
            autocomplete="off"
            onInput={(event) => change({ name: event.currentTarget.value })}
          />
          <TextField
            label={t("organization.fields.hint")}
            hint={t("organization.fields.hint.hint")}
            isOptional
            value={draft.hint}
            maxLength={80}
            autocomplete="off"
            onInput={(event) => change({ hint: event.currentTarget.value })}
          />
        </>
      )}
      {type === fieldType.account && !isKnownAccount && (
        <TextField
          label={t("organization.fields.urlPattern")}
          hint={t("organization.fields.urlPattern.hint")}
          placeholder="https://example.com/%(username)s"
          value={draft.urlPattern}
          maxLength={1024}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => change({ urlPattern: event.currentTarget.value })}
        />
      )}
      {type === fieldType.select && (
        <OptionsEditor
          options={options}
          taken={edited?.type === fieldType.select ? optionsOf(edited.field_data) : []}
          onChange={(changed) => change({ options: changed })}
          warning={
            removedOptions.length === 0
              ? undefined
              : t("organization.fields.optionsRemoved", { names: removedOptions.map(({ text }) => text).join(", ") })
          }
        />
      )}
      <CheckField
        label={t("organization.fields.required")}
        hint={t("organization.fields.required.hint")}
        checked={draft.required}
        onChange={(required) => change({ required })}
      />
      <CheckField
        label={t("organization.fields.summary")}
        hint={
          !fitsSummary(type)
            ? t("organization.fields.summary.tooLong")
            : isSummaryFull
              ? t("organization.fields.summary.full", { names: inSummary.map(({ name }) => name).join(", ") })
              : t("organization.fields.summary.hint")
        }
        disabled={!fitsSummary(type) || isSummaryFull}
        checked={draft.inSummary && fitsSummary(type)}
        onChange={(wanted) => change({ inSummary: wanted })}
      />
      <CheckField
        label={t("organization.fields.editable")}
        hint={t("organization.fields.editable.hint")}
        checked={draft.editableByUser}
        onChange={(editableByUser) => change({ editableByUser })}
      />
      <FieldError id="field-error" error={error} />
    </Dialog>
  );
}
