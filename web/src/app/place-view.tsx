/** Renders the current place. Places not needed at first are loaded on first use. */
import { findChannel } from "../store/channels.ts";
import { conversationKey } from "../store/conversations.ts";
import { ConversationPage } from "../conversation/conversation-page.tsx";
import { Inbox } from "../inbox/inbox.tsx";
import { Lazy } from "../ui/lazy.tsx";
import { Nowhere } from "../parts/nowhere.tsx";
import type { Place } from "../navigation/place.ts";

const channelPage = () => import("../channel/channel-page.tsx");
const messagesPage = () => import("../search/messages-page.tsx");
const draftsPage = () => import("../drafts/drafts-page.tsx");
const channelsPage = () => import("../channel/channels-page.tsx");
const directPage = () => import("../people/direct-page.tsx");
const userPage = () => import("../panel/user-page.tsx");
const settingsPage = () => import("../settings/settings-page.tsx");
const administrationPage = () => import("../administration/administration-page.tsx");
const channelSettingsPage = () => import("../channel-settings/channel-settings-page.tsx");

export function PlaceView({ place }: { place: Place }) {
  switch (place.kind) {
    case "inbox":
      return <Inbox tab={place.tab} />;
    case "conversation":
      if (place.conversation.kind === "topic" && !findChannel(place.conversation.channelId)) return <Nowhere />;
      return (
        <ConversationPage
          key={conversationKey(place.conversation)}
          conversation={place.conversation}
          near={place.near}
          withId={place.with}
        />
      );
    case "channel":
      return <Lazy key={`${place.channelId}`} load={channelPage} props={place} rows={8} />;
    case "messages":
      return <Lazy key="messages" load={messagesPage} props={place} rows={8} />;
    case "drafts":
    case "scheduled":
      return <Lazy key="drafts" load={draftsPage} props={{}} rows={4} />;
    case "channels":
      return <Lazy key="channels" load={channelsPage} props={{}} rows={8} />;
    case "direct-messages":
      return <Lazy key="direct" load={directPage} props={{}} rows={8} />;
    case "user":
      return <Lazy key="user" load={userPage} props={{ userId: place.userId }} rows={4} />;
    case "channel-settings":
      return <Lazy key={`settings ${place.channelId}`} load={channelSettingsPage} props={place} rows={8} />;
    case "settings":
      return <Lazy key="settings" load={settingsPage} props={place} rows={8} />;
    case "organization":
      return <Lazy key="organization" load={administrationPage} props={place} rows={8} />;
    case "unknown":
      return <Nowhere />;
  }
}
