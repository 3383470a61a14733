/** Asks before a channel is archived or unarchived. */
import "../text/chunks/channel-settings.ts";
import { archiveChannel, updateChannel } from "@skein/api/routes/channels.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import type { Channel } from "../store/channels.ts";
import { subscribersOf } from "../store/subscribers.ts";
import { t } from "../text/t.ts";
import { DangerDialog } from "./danger-dialog.tsx";

export function ArchiveDialog({ channel, onClose }: { channel: Channel; onClose: () => void }) {
  // What was asked, even if somebody else does it meanwhile.
  const [{ name, is_archived: isArchived, stream_id }] = useState(channel);
  const count = subscribersOf(stream_id).ids.value?.size ?? 0;
  if (isArchived)
    return (
      <DangerDialog
        title={t("channelSettings.unarchiveTitle", { name })}
        action={t("channelSettings.unarchive")}
        run={() => call(updateChannel, { stream_id, is_archived: false })}
        onClose={onClose}
      >
        <p>{t("channelSettings.unarchiveWhom", { count })}</p>
      </DangerDialog>
    );
  return (
    <DangerDialog
      title={t("channelSettings.archiveTitle", { name })}
      action={t("channelSettings.archive")}
      name={name}
      run={() => call(archiveChannel, { stream_id })}
      onClose={onClose}
    >
      <p>{t("channelSettings.archiveWhom", { count })}</p>
      <p>{t("channelSettings.archiveAlso")}</p>
    </DangerDialog>
  );
}
