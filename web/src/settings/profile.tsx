/** The reader's profile, as others see it. */
import "../text/chunks/settings.ts";
import type { SectionViewProps } from "../controls/settings-page.tsx";
import { PictureField } from "../controls/picture-field.tsx";
import { SettingGroups } from "../controls/settings-section.tsx";
import { TextSetting } from "../controls/text-setting.tsx";
import { useOptimistic } from "../controls/use-optimistic.ts";
import { elementId } from "../descriptors/setting.ts";
import { addressOf } from "../navigation/router.ts";
import { useFetched } from "../parts/use-fetched.ts";
import {
  canChangeName,
  canChangePicture,
  fetchOwnFields,
  removePicture,
  saveName,
  savePicture,
} from "../store/own-profile.ts";
import { self } from "../store/people.ts";
import { ownId, part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Failure } from "../ui/failure.tsx";
import { Icon } from "../ui/icon.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { ProfileFieldControl } from "./profile-field.tsx";
import styles from "./settings.module.css";
import { StatusField } from "./status-field.tsx";

const maxNameLength = 100;

export default function Profile({ section }: SectionViewProps) {
  const { full_name, user_id } = self.value;
  return (
    <>
      <section>
        <div id={elementId("picture")}>
          <PictureField
            label={t("settings.picture")}
            hint={canChangePicture() ? undefined : t("settings.pictureLocked")}
            disabled={!canChangePicture()}
            onChoose={savePicture}
            onRemove={part("avatar_source").value === "U" ? removePicture : undefined}
          >
            <Avatar name={full_name} src={part("avatar_url_medium").value ?? `/avatar/${user_id}/medium`} size={96} />
          </PictureField>
        </div>
        <NameField />
        <StatusField />
      </section>
      <SettingGroups groups={section.groups} />
      <Fields />
      <p class={styles.note}>
        <a href={addressOf({ kind: "user", userId: ownId.value })}>
          <Icon name="eye" /> {t("settings.seeProfile")}
        </a>
      </p>
    </>
  );
}

function NameField() {
  const canChange = canChangeName();
  const name = useOptimistic(self.value.full_name, saveName);
  return (
    <div id={elementId("name")}>
      <TextSetting
        {...name}
        label={t("settings.name")}
        hint={canChange ? undefined : t("settings.nameLocked")}
        disabled={!canChange}
        control={{ kind: "text", maxLength: maxNameLength, isRequired: true }}
      />
    </div>
  );
}

function Fields() {
  const fields = part("custom_profile_fields").value ?? [];
  const [fetched, retry] = useFetched(fetchOwnFields, "own");
  if (fields.length === 0) return null;
  return (
    <section class={styles.group} id={elementId("profile-fields")}>
      <h3>{t("settings.fields")}</h3>
      {fetched.state === "loading" && <Skeleton rows={fields.length} height={56} />}
      {fetched.state === "failed" && <Failure error={fetched.error} onRetry={retry} />}
      {fetched.state === "loaded" &&
        fields
          .toSorted((a, b) => a.order - b.order)
          .map((field) => <ProfileFieldControl key={field.id} field={field} />)}
    </section>
  );
}
