/** A channel's settings, and the reader's own for it. */
import "../text/chunks/channel.ts";
import "../text/chunks/channel-settings.ts";
import { SettingsPage, type SectionViews } from "../controls/settings-page.tsx";
import { channelSections } from "../descriptors/channel.ts";
import { addressOf, channelAddress, go } from "../navigation/router.ts";
import { ChannelName } from "../parts/conversation-name.tsx";
import { Nowhere } from "../parts/nowhere.tsx";
import { mayRead } from "../store/channel-permissions.ts";
import { findChannel } from "../store/channels.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";

const views: SectionViews = {
  general: () => import("./general-section.tsx"),
  subscribers: () => import("./people-section.tsx"),
  permissions: () => import("./permissions-section.tsx"),
  personal: () => import("./personal-section.tsx"),
};

interface ChannelSettingsProps {
  channelId: number;
  section: string;
  item?: string;
}

export default function ChannelSettings({ channelId, section, item }: ChannelSettingsProps) {
  const channel = findChannel(channelId);
  // Also when access is lost while the page is open.
  if (!channel) return <Nowhere />;
  return (
    <SettingsPage
      title={
        <h1>
          <ChannelName channelId={channelId} />
        </h1>
      }
      actions={
        mayRead(channel) && (
          <IconButton
            icon="message-square"
            label={t("channelSettings.back")}
            onClick={() => go(channelAddress(channelId))}
          />
        )
      }
      sections={channelSections}
      views={views}
      current={section}
      item={item}
      subjectId={channelId}
      addressOf={(to, toItem) =>
        addressOf({
          kind: "channel-settings",
          channelId,
          section: to,
          ...(toItem === undefined ? {} : { item: toItem }),
        })
      }
    />
  );
}
