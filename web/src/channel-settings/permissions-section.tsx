/** Who may do what in a channel. */
import "../text/chunks/channel-settings.ts";
import { SettingControl } from "../controls/setting-control.tsx";
import type { SectionViewProps } from "../controls/settings-page.tsx";
import { settingsIn } from "../descriptors/setting.ts";
import { givesAccess, mayAdminister, mayGiveAccess } from "../store/channel-permissions.ts";
import { findChannel, type Channel } from "../store/channels.ts";
import { t } from "../text/t.ts";
import { AccessNotes } from "./note.tsx";
import styles from "./sections.module.css";

export default function PermissionsSection({ section, subjectId }: SectionViewProps) {
  const channel = findChannel(subjectId);
  if (!channel) return null;
  return (
    <>
      <AccessNotes channel={channel} />
      <p class={styles.hint}>{t("channelSettings.permissionsNote")}</p>
      {settingsIn(section).map((setting) => (
        <SettingControl
          key={setting.name}
          setting={setting}
          subjectId={subjectId}
          lockedBecause={lockOf(channel, setting.name)}
        />
      ))}
    </>
  );
}

/** The note above says why nothing can be changed. */
function lockOf(channel: Channel, name: string): string | undefined {
  if (!mayAdminister(channel)) return "";
  return givesAccess(name) && !mayGiveAccess(channel) ? t("channelSettings.needsAccess") : undefined;
}
