/**
 * Notifications on the desktop. The browser is asked for leave when the reader says so, offered once after the first
 * direct message or mention that comes while the page is open, never when it loads.
 */
import type { Message } from "../store/messages.ts";
import { addressOf, go, place } from "../app/router.ts";
import { conversationTitle } from "../conversation/conversation-name.tsx";
import { plainText } from "../inbox/plain-text.ts";
import { conversationKey, conversationOf, isSameConversation } from "../store/conversations.ts";
import { onEvent } from "../store/events.ts";
import { ownId, part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { toast } from "../ui/toast.tsx";
import { reasonToNotify, type Reason } from "./should-notify.ts";

const offeredKey = "skein.notifications-offered";

/** Only where the browser has them and nobody has said no. */
const permission = (): NotificationPermission | undefined =>
  "Notification" in globalThis ? Notification.permission : undefined;

export function startDesktopNotifications(): () => void {
  return onEvent((event) => {
    if (event.type !== "message") return;
    const message: Message = { ...event.message, flags: event.flags };
    const reason = reasonToNotify(message);
    if (reason === undefined || isLookedAt(message)) return;
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
      // One a conversation: the newest takes the place of the last.
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
  if (localStorage.getItem(offeredKey) !== null) return;
  localStorage.setItem(offeredKey, "yes");
  toast(t("notification.offer"), {
    action: { label: t("notification.turnOn"), run: () => void Notification.requestPermission() },
  });
}
