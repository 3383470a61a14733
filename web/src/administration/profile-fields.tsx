/** The fields that the organization adds to people's profiles. */
import "../text/chunks/controls.ts";
import "../text/chunks/organization.ts";
import "../text/chunks/organization-lists.ts";
import type { ProfileField } from "@skein/api/profile-fields.ts";
import { removeProfileField } from "@skein/api/routes/profile-fields.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import { ItemList } from "../controls/item-list.tsx";
import { useSaving } from "../controls/use-saving.ts";
import { elementId } from "../descriptors/setting.ts";
import { orderProfileFields } from "../store/organization.ts";
import { isAdministrator } from "../store/roles.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { FieldError } from "../ui/field.tsx";
import styles from "./lists.module.css";
import { ProfileFieldDialog } from "./profile-field-dialog.tsx";
import { fieldType, fieldTypeNames, optionsOf } from "./profile-field-types.ts";

export default function ProfileFields() {
  const [edited, setEdited] = useState<ProfileField | "new">();
  const [removed, setRemoved] = useState<ProfileField>();
  const { error, save } = useSaving();
  const fields = part("custom_profile_fields").value ?? [];
  const mayChange = isAdministrator();
  return (
    <>
      {mayChange ? (
        <div id={elementId("add-profile-field")} class={styles.add}>
          <Button icon="plus" onClick={() => setEdited("new")}>
            {t("organization.fields.add")}
          </Button>
        </div>
      ) : (
        <p class={styles.note}>{t("setting.administratorsOnly")}</p>
      )}
      {fields.length === 0 ? (
        <Empty icon="user" title={t("organization.fields.none")}>
          <p>{t("organization.fields.none.hint")}</p>
        </Empty>
      ) : (
        <ItemList
          label={t("organization.profileFields")}
          items={fields}
          keyOf={({ id }) => id}
          nameOf={({ name }) => name}
          render={(field) => <Row field={field} />}
          onReorder={mayChange && fields.length > 1 ? (order) => void save(() => orderProfileFields(order)) : undefined}
          {...(mayChange
            ? {
                actions: (field: ProfileField) => (
                  <>
                    <IconButton
                      icon="pencil"
                      label={t("organization.fields.edit", { name: field.name })}
                      onClick={() => setEdited(field)}
                    />
                    <IconButton
                      icon="trash-2"
                      label={t("organization.fields.remove", { name: field.name })}
                      onClick={() => setRemoved(field)}
                    />
                  </>
                ),
              }
            : {})}
        />
      )}
      <FieldError id="fields-error" error={error} />
      {edited && (
        <ProfileFieldDialog
          fields={fields}
          edited={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      {removed && (
        <DangerDialog
          title={t("organization.fields.remove", { name: removed.name })}
          action={t("organization.remove")}
          run={() => call(removeProfileField, { field_id: removed.id })}
          onClose={() => setRemoved(undefined)}
        >
          <p>{t("organization.fields.removeText")}</p>
        </DangerDialog>
      )}
    </>
  );
}

function Row({ field }: { field: ProfileField }) {
  const tags = [
    field.required && t("organization.fields.required"),
    field.display_in_profile_summary === true && t("organization.fields.inSummary"),
    !field.editable_by_user && t("organization.fields.byAdministrators"),
  ].filter((tag) => tag !== false);
  const options = field.type === fieldType.select ? optionsOf(field.field_data).map(({ text }) => text) : [];
  return (
    <>
      <div>
        <span class={styles.name}>{field.name}</span>{" "}
        <span class={styles.detail}>
          {t(fieldTypeNames[field.type])}
          {options.length > 0 && `: ${options.join(", ")}`}
        </span>
      </div>
      {field.hint !== "" && <div class={styles.detail}>{field.hint}</div>}
      {tags.length > 0 && (
        <div class={styles.tags}>
          {tags.map((tag) => (
            <span key={tag} class={styles.tag}>
              {tag}
            </span>
          ))}
        </div>
      )}
    </>
  );
}
