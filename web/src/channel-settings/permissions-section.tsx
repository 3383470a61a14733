/** Who may do what in a channel. */
import "../text/chunks/channel-settings.ts";
import { SettingControl } from "../controls/setting-control.tsx";
import type { SectionViewProps } from "../controls/settings-page.tsx";
import { givesAccess, lockOn, mayAdminister, mayGiveAccess } from "../store/channel-permissions.ts";
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
      {section.groups.map(({ label, settings }) => (
        <section key={label} class={styles.group}>
          {label !== undefined && <h3>{t(label)}</h3>}
          {settings.map((setting) => (
            <SettingControl
              key={setting.name}
              setting={setting}
              subjectId={subjectId}
              lockedBecause={reasonFor(channel, setting.name)}
            />
          ))}
        </section>
      ))}
    </>
  );
}

/** The note above says why nothing can be changed. */
function reasonFor(channel: Channel, name: string): string | undefined {
  if (!mayAdminister(channel)) return "";
  const lock = givesAccess(name) && !mayGiveAccess(channel) ? "needsAccess" : lockOn(name, channel);
  return lock && t(`channelSettings.${lock}`);
}
