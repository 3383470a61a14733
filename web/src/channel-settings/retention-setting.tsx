/** How long a channel's messages are kept. Only owners may change it. */
import "../text/chunks/channel-settings.ts";
import "../text/chunks/controls.ts";
import { useState } from "preact/hooks";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import { RetentionField, retentionText } from "../controls/retention-field.tsx";
import { useSaving } from "../controls/use-saving.ts";
import { elementId } from "../descriptors/setting.ts";
import type { Channel } from "../store/channels.ts";
import { retentionRequest, shorterRetention } from "../store/retention.ts";
import { isOwner } from "../store/roles.ts";
import { channelSettings } from "../store/setting-stores.ts";
import { t } from "../text/t.ts";

const name = "message_retention_days";

export function RetentionSetting({ channel }: { channel: Channel }) {
  const { saved, error, save } = useSaving();
  const [asked, setAsked] = useState<{ days: number | null; kept: number }>();
  const store = (days: number | null): Promise<void> =>
    channelSettings(channel.stream_id).save(name, days, retentionRequest(days));
  const lock = isOwner() ? undefined : t("setting.ownersOnly");
  return (
    <div id={elementId(name)}>
      <RetentionField
        label={t("channelSettings.message_retention_days")}
        hint={[t("channelSettings.retentionHint"), lock].filter(Boolean).join(" ")}
        value={channel.message_retention_days}
        disabled={lock !== undefined}
        saved={saved}
        error={error}
        onChange={(days) => {
          const kept = shorterRetention(channel.message_retention_days, days);
          if (kept === undefined) void save(() => store(days));
          else setAsked({ days, kept });
        }}
      />
      {asked && (
        <DangerDialog
          title={t("channelSettings.retentionTitle")}
          action={t("channelSettings.retentionNow")}
          run={() => store(asked.days)}
          onClose={() => setAsked(undefined)}
        >
          <p>{t("channelSettings.retentionWhat", { name: channel.name, period: retentionText(asked.kept) })}</p>
        </DangerDialog>
      )}
    </div>
  );
}
