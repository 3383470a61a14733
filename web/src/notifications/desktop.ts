/**
 * Desktop notifications and sounds. The browser's permission is requested when the reader chooses to, which is offered once, after the
 * first direct message or mention that arrives while the page is open, never on load.
 */
import "../text/chunks/notifications.ts";
import type { Message } from "../store/messages.ts";
import { addressOf, go, place } from "../navigation/router.ts";
import { conversationTitle } from "../store/conversation-title.ts";
import { plainText } from "../content/plain-text.ts";
import { conversationKey, conversationOf, isSameConversation } from "../store/conversations.ts";
import { onEvent } from "../store/events.ts";
import { ownId, part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { store, storedKeys } from "../store/storage.ts";
import { toast } from "../store/toasts.ts";
import { playSoundOnce } from "../ui/sound.ts";
import { reasonToNotify, type Reason } from "./should-notify.ts";

const offeredKey = "skein.notifications-offered";

/** Only where the browser supports them and permission was not denied. */
const permission = (): NotificationPermission | undefined =>
  "Notification" in globalThis ? Notification.permission : undefined;

export function startDesktopNotifications(): () => void {
  return onEvent((event) => {
    if (event.type !== "message") return;
    const message: Message = { ...event.message, flags: event.flags };
    if (isLookedAt(message)) return;
    if (reasonToNotify(message, "sound")) playSoundOnce(part("user_settings").peek()?.notification_sound ?? "none");
    const reason = reasonToNotify(message);
    if (reason === undefined) return;
    if (permission() === "granted") notify(message, reason);
    else if (permission() === "default" && (reason === "direct" || reason === "mention")) offer();
  });
}

const isLookedAt = (message: Message): boolean => {
  const at = place.peek();
  if (!document.hasFocus() || at.kind !== "conversation") return false;
  return isSameConversation(at.conversation, conversationOf(message, ownId.peek()));
};

const longest = 200;

function notify(message: Message, reason: Reason): void {
  const conversation = conversationOf(message, ownId.peek());
  const name = message.sender_full_name;
  const isQuoted = reason !== "direct" || (part("user_settings").peek()?.pm_content_in_desktop_notifications ?? true);
  const notification = new Notification(
    conversation.kind === "topic" ? `${name} (${conversationTitle(conversation)})` : name,
    {
      body: isQuoted ? plainText(message.content).slice(0, longest) : t("notification.direct"),
      icon: message.avatar_url ?? `/avatar/${message.sender_id}`,
      // One per conversation: a new one replaces the last.
      tag: conversationKey(conversation),
    },
  );
  notification.addEventListener("click", () => {
    window.focus();
    notification.close();
    go(addressOf({ kind: "conversation", conversation, near: message.id }));
  });
}

function offer(): void {
  if (storedKeys(offeredKey).length > 0) return;
  store("local", offeredKey, "yes");
  toast(t("notification.offer"), {
    action: { label: t("notification.turnOn"), run: () => void Notification.requestPermission() },
  });
}
