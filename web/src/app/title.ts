/** The tab's title: the current place and the unread count. */
import { effect } from "@preact/signals";
import { conversationTitle } from "../store/conversation-title.ts";
import { findChannel } from "../store/channels.ts";
import { part } from "../store/state.ts";
import { iconCount } from "../store/unread.ts";
import { t } from "../text/t.ts";
import type { Place } from "../navigation/place.ts";
import { place } from "../navigation/router.ts";

export function startTitle(): void {
  effect(() => {
    const unread = iconCount.value > 0 ? `(${iconCount.value}) ` : "";
    document.title = `${unread}${nameOf(place.value)} · ${part("realm_name").value ?? ""}`;
  });
}

function nameOf(at: Place): string {
  switch (at.kind) {
    case "conversation":
      return conversationTitle(at.conversation);
    case "channel":
      return `#${findChannel(at.channelId)?.name ?? ""}`;
    case "channel-settings":
      return `#${findChannel(at.channelId)?.name ?? ""} · ${t("channel.settings")}`;
    case "drafts":
    case "scheduled":
      return t("drafts.title");
    case "messages":
      return at.narrow.length === 0 ? t("messages.all") : t("messages.found");
    case "channels":
      return t("sidebar.channels");
    case "direct-messages":
      return t("sidebar.direct");
    case "settings":
      return t("place.settings");
    case "organization":
      return t("place.organization");
    default:
      return t("inbox.title");
  }
}
