/** What notifies the reader, and where: a table, the channels that differ from it, and a test. */
import "../text/chunks/settings.ts";
import type { SectionViewProps } from "../controls/settings-page.tsx";
import { SettingGroups } from "../controls/settings-section.tsx";
import { elementId } from "../descriptors/setting.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { ChannelExceptions } from "./channel-exceptions.tsx";
import { NotificationTable } from "./notification-table.tsx";
import { BrowserPermission, TestNotification } from "./test-notification.tsx";
import styles from "./settings.module.css";

export default function Notifications({ section }: SectionViewProps) {
  const [table, ...groups] = section.groups;
  return (
    <>
      <BrowserPermission />
      <section class={styles.group}>
        {table?.label !== undefined && <h3 id="notify-about">{t(table.label)}</h3>}
        <NotificationTable labelledBy="notify-about" />
        {part("realm_push_notifications_enabled").value === false && (
          <p class={styles.note}>{t("settings.mobileOff")}</p>
        )}
        <TestNotification />
      </section>
      <section class={styles.group} id={elementId("channel-notifications")}>
        <h3>{t("settings.channelExceptions")}</h3>
        <ChannelExceptions />
      </section>
      <SettingGroups groups={groups} />
    </>
  );
}
