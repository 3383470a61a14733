/** The organization's name and pictures, and the end of it. */
import "../text/chunks/organization.ts";
import { deactivateRealm } from "@skein/api/routes/realm-settings.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import type { SectionViewProps } from "../controls/settings-page.tsx";
import { SettingGroups } from "../controls/settings-section.tsx";
import { elementId } from "../descriptors/setting.ts";
import { activePeople } from "../store/organization.ts";
import { isOwner } from "../store/roles.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import styles from "./lists.module.css";
import { PictureSetting } from "./picture-setting.tsx";

export default function Profile({ section }: SectionViewProps) {
  return (
    <>
      <SettingGroups groups={section.groups.slice(0, 1)} />
      <PictureSetting which="icon_url" />
      <PictureSetting which="logo_url" />
      <PictureSetting which="night_logo_url" />
      {isOwner() && <Deactivation />}
    </>
  );
}

function Deactivation() {
  const [isAsking, setAsking] = useState(false);
  const name = part("realm_name").value ?? "";
  return (
    <section id={elementId("deactivate")} class={styles.group}>
      <h3>{t("organization.deactivate")}</h3>
      <p class={styles.note}>{t("organization.deactivate.hint")}</p>
      <Button kind="danger" onClick={() => setAsking(true)}>
        {t("organization.deactivate.button")}
      </Button>
      {isAsking && (
        <DangerDialog
          title={t("organization.deactivate")}
          action={t("organization.deactivate.action")}
          name={name}
          run={async () => {
            await call(deactivateRealm, {});
            location.assign("/");
          }}
          onClose={() => setAsking(false)}
        >
          <p>{t("organization.deactivate.who", { count: activePeople() })}</p>
          <p>{t("organization.deactivate.what")}</p>
          <p>{t("organization.deactivate.export")}</p>
        </DangerDialog>
      )}
    </section>
  );
}
