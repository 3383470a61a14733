/** Archives a channel, or unarchives it. */
import "../text/chunks/channel-settings.ts";
import { useState } from "preact/hooks";
import { ArchiveDialog } from "../controls/archive-dialog.tsx";
import { elementId } from "../descriptors/setting.ts";
import type { Channel } from "../store/channels.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import styles from "./archive-setting.module.css";

export function ArchiveSetting({ channel }: { channel: Channel }) {
  const [isAsking, setAsking] = useState(false);
  const action = channel.is_archived ? "unarchive" : "archive";
  return (
    <div id={elementId("is_archived")} class={styles.archive}>
      <Button icon={channel.is_archived ? "undo-2" : "archive"} onClick={() => setAsking(true)}>
        {t(`channelSettings.${action}`)}
      </Button>
      <span class={styles.hint}>{t(`channelSettings.${action}Hint`)}</span>
      {isAsking && <ArchiveDialog channel={channel} onClose={() => setAsking(false)} />}
    </div>
  );
}
