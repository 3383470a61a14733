/** The reader's own settings for a channel: how it looks in the sidebar, notifications, and leaving it. */
import "../text/chunks/channel.ts";
import "../text/chunks/channel-settings.ts";
import { useState } from "preact/hooks";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import { SettingGroups } from "../controls/settings-section.tsx";
import type { SectionViewProps } from "../controls/settings-page.tsx";
import { elementId } from "../descriptors/setting.ts";
import { mayJoin, mayRead } from "../store/channel-permissions.ts";
import { findChannel, type Channel } from "../store/channels.ts";
import { join, leave, toastFailure } from "../store/membership.ts";
import { subscribersOf } from "../store/subscribers.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import archive from "./archive-setting.module.css";
import { ColorSetting } from "./color-setting.tsx";
import { Note } from "./note.tsx";
import styles from "./sections.module.css";

export default function PersonalSection({ section, subjectId }: SectionViewProps) {
  const channel = findChannel(subjectId);
  if (!channel) return null;
  if (!channel.isSubscribed)
    return (
      <Empty icon="bell" title={t("channelSettings.notSubscribed")}>
        <p>{t("channelSettings.notSubscribedHint")}</p>
        {mayJoin(channel) && (
          <Button kind="primary" onClick={() => join(channel)}>
            {t("channel.join")}
          </Button>
        )}
      </Empty>
    );
  const [sidebar, ...others] = section.groups;
  return (
    <>
      {channel.is_archived && <Note icon="archive">{t("channelSettings.archivedNote")}</Note>}
      <section class={styles.group}>
        <h3>{t("channelSettings.sidebar")}</h3>
        <ColorSetting channel={channel} />
        {sidebar && <SettingGroups groups={[{ settings: sidebar.settings }]} subjectId={subjectId} />}
      </section>
      <SettingGroups groups={others} subjectId={subjectId} />
      <Leave channel={channel} />
    </>
  );
}

function Leave({ channel }: { channel: Channel }) {
  const [isAsking, setAsking] = useState(false);
  const canReturn = mayRead({ ...channel, isSubscribed: false });
  const isLast = subscribersOf(channel.stream_id).ids.value?.size === 1;
  return (
    <div id={elementId("leave")} class={archive.archive}>
      <Button icon="log-out" onClick={() => (canReturn ? toastFailure(leave(channel)) : setAsking(true))}>
        {t("channel.leave")}
      </Button>
      <span class={archive.hint}>{t("channelSettings.leaveHint")}</span>
      {isAsking && (
        <DangerDialog
          title={t("channelSettings.leaveTitle", { name: channel.name })}
          action={t("channel.leave")}
          run={() => leave(channel)}
          onClose={() => setAsking(false)}
        >
          <p>{t(isLast ? "channelSettings.leaveLast" : "channelSettings.leavePrivate")}</p>
        </DangerDialog>
      )}
    </div>
  );
}
