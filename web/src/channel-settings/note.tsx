/** What the reader can and cannot do on a page, above its settings. */
import "../text/chunks/channel-settings.ts";
import type { ComponentChildren } from "preact";
import { mayAdminister, mayRead } from "../store/channel-permissions.ts";
import type { Channel } from "../store/channels.ts";
import { t } from "../text/t.ts";
import { Icon, type IconName } from "../ui/icon.tsx";
import styles from "./note.module.css";

export const Note = ({ icon, children }: { icon: IconName; children: ComponentChildren }) => (
  <p class={styles.note}>
    <Icon name={icon} class={styles.icon} />
    <span>{children}</span>
  </p>
);

export function AccessNotes({ channel }: { channel: Channel }) {
  const permission = t("channelSettings.can_administer_channel_group");
  return (
    <>
      {channel.is_archived && <Note icon="archive">{t("channelSettings.archivedNote")}</Note>}
      {!mayAdminister(channel) ? (
        <Note icon="info">{t("channelSettings.lockedNote", { permission })}</Note>
      ) : (
        !mayRead(channel) && <Note icon="lock">{t("channelSettings.noAccessNote")}</Note>
      )}
    </>
  );
}
