/** Whether new users are subscribed to a channel. */
import "../text/chunks/channel-settings.ts";
import "../text/chunks/controls.ts";
import { useSaving } from "../controls/use-saving.ts";
import { elementId } from "../descriptors/setting.ts";
import type { Channel } from "../store/channels.ts";
import { isDefaultChannel, saveDefaultChannel } from "../store/default-channels.ts";
import { isAdministrator } from "../store/roles.ts";
import { t } from "../text/t.ts";
import { CheckField } from "../ui/choices.tsx";

export function DefaultSetting({ channel }: { channel: Channel }) {
  const { saved, error, save } = useSaving();
  const reason = !isAdministrator()
    ? t("setting.administratorsOnly")
    : channel.invite_only
      ? t("channelSettings.privateIsNoDefault")
      : undefined;
  return (
    <div id={elementId("is_default_stream")}>
      <CheckField
        label={t("channelSettings.is_default_stream")}
        hint={[t("channelSettings.is_default_streamHint"), reason].filter(Boolean).join(" ")}
        checked={isDefaultChannel(channel.stream_id)}
        disabled={reason !== undefined || channel.is_archived}
        saved={saved}
        error={error}
        onChange={(isDefault) => void save(() => saveDefaultChannel(channel.stream_id, isDefault))}
      />
    </div>
  );
}
