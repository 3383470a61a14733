/** The views at the top of the sidebar. */
import { addressOf, place, placeAt, wholeAddress } from "../navigation/router.ts";
import { drafts } from "../store/drafts.ts";
import { part } from "../store/state.ts";
import { mentionCount, unreadByChannel, unreadCount, unreadIn } from "../store/unread.ts";
import { allViews, type KnownView, type View } from "../store/views.ts";
import { t, type TextKey } from "../text/t.ts";
import type { IconName } from "../ui/icon.tsx";
import { SidebarRow, type Tally } from "./sidebar-row.tsx";

export const knownViews: Readonly<Record<KnownView, { icon: IconName; label: TextKey }>> = {
  inbox: { icon: "inbox", label: "inbox.title" },
  "narrow/is/mentioned": { icon: "at-sign", label: "messages.mentions" },
  "narrow/is/starred": { icon: "star", label: "messages.starred" },
  drafts: { icon: "pencil", label: "drafts.title" },
  feed: { icon: "list", label: "messages.all" },
  recent: { icon: "clock", label: "inbox.recent" },
  scheduled: { icon: "calendar-clock", label: "views.scheduled" },
  "narrow/has/reaction/sender/me": { icon: "smile", label: "views.reactions" },
};

const isKnown = (fragment: string): fragment is KnownView => fragment in knownViews;

export const iconOf = ({ fragment }: View): IconName => (isKnown(fragment) ? knownViews[fragment].icon : "bookmark");

export const nameOf = ({ fragment, name }: View): string =>
  name ?? (isKnown(fragment) ? t(knownViews[fragment].label) : fragment);

/** Places that belong to a view with another address, unless they are shown as views themselves. */
const within: Readonly<Record<string, string>> = { inbox: "inbox", drafts: "scheduled" };

export function ViewRows() {
  const views = allViews().filter(({ isShown }) => isShown);
  const { value: at } = place;
  const here = wholeAddress(at);
  const current =
    views.find(({ fragment }) => wholeAddress(placeAt(fragment)) === here) ??
    views.find(({ fragment }) => within[fragment] === at.kind);
  return (
    <>
      {views.map((view) => (
        <SidebarRow
          key={view.fragment}
          icon={iconOf(view)}
          label={nameOf(view)}
          address={addressOf(placeAt(view.fragment))}
          isCurrent={view === current}
          {...tallyOf(view)}
        />
      ))}
    </>
  );
}

function tallyOf({ fragment }: View): Tally & { isCalm?: boolean } {
  const scheduled = part("scheduled_messages").value?.length ?? 0;
  switch (fragment) {
    case "inbox":
      return { count: unreadCount.value };
    case "narrow/is/mentioned":
      return { count: mentionCount.value, isLoud: true };
    case "narrow/is/starred": {
      const isCounted = part("user_settings").value?.starred_message_counts;
      return { count: isCounted ? (part("starred_messages").value?.length ?? 0) : 0, isCalm: true };
    }
    case "drafts": {
      const count = drafts.value.length;
      const texts = [count > 0 && t("drafts.count", { count }), scheduled > 0 && scheduledText(scheduled)];
      return { count: count + scheduled, countText: texts.filter(Boolean).join(", "), isCalm: true };
    }
    case "scheduled":
      return { count: scheduled, countText: scheduledText(scheduled), isCalm: true };
    default: {
      const to = placeAt(fragment);
      if (to.kind === "conversation") return { count: unreadIn(to.conversation)?.ids.length ?? 0 };
      return { count: to.kind === "channel" ? (unreadByChannel.value.get(to.channelId)?.count ?? 0) : 0 };
    }
  }
}

const scheduledText = (count: number): string => t("scheduled.count", { count });
