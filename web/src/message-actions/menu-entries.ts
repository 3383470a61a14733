/** A message's menu: the permitted actions, with names and keys from the table of shortcuts. */
import "../text/chunks/message-actions.ts";
import { openFloat, type FloatKind } from "../commands/floats.ts";
import { keyTable } from "../commands/keys.ts";
import { act, mayAct, type MessageAction } from "../commands/selected-message.ts";
import type { Message } from "../store/messages.ts";
import { ownId, part } from "../store/state.ts";
import { t, type TextKey } from "../text/t.ts";
import type { IconName } from "../ui/icon.tsx";
import type { MenuEntry } from "../ui/menu.tsx";

interface Item {
  /** Or a dialog that has no key. */
  action: MessageAction | { opens: FloatKind };
  icon: IconName;
  label: TextKey;
  isDangerous?: true;
}

/** Only where the organization has a channel for reports. */
const mayReport = ({ sender_id }: Message): boolean =>
  (part("realm_moderation_request_channel_id").value ?? -1) >= 0 && sender_id !== ownId.peek();

const groups = (message: Message): Item[][] => {
  const { flags } = message;
  return [
    [
      { action: "open", icon: "message-square", label: "message.open" },
      { action: "quote", icon: "quote", label: "keys.quote" },
      { action: "directReply", icon: "message-circle", label: "keys.directReply" },
      { action: "newTopic", icon: "message-square-plus", label: "message.newTopic" },
      { action: "forward", icon: "forward", label: "message.forward" },
    ],
    [
      { action: "react", icon: "smile-plus", label: "message.react" },
      flags.includes("starred")
        ? { action: "star", icon: "star-off", label: "message.unstar" }
        : { action: "star", icon: "star", label: "message.star" },
      { action: "markUnread", icon: "eye-off", label: "keys.markUnread" },
      flags.includes("collapsed")
        ? { action: "collapse", icon: "chevron-down", label: "message.expand" }
        : { action: "collapse", icon: "chevron-up", label: "message.collapse" },
      { action: "copyLink", icon: "link", label: "keys.copyLink" },
      { action: { opens: "remind" }, icon: "calendar-clock", label: "message.remind" },
    ],
    [
      { action: "edit", icon: "pencil", label: "message.edit" },
      { action: "move", icon: "move-right", label: "message.move" },
      { action: "history", icon: "history", label: "message.history" },
      { action: "receipts", icon: "eye", label: "message.receipts" },
    ],
    [
      ...(mayReport(message)
        ? [{ action: { opens: "report" as const }, icon: "circle-alert" as const, label: "message.report" as const }]
        : []),
      { action: "delete", icon: "trash-2", label: "message.delete", isDangerous: true },
    ],
  ];
};

/** An action with two names has one key. */
const keyedAs: Partial<Record<TextKey, TextKey>> = {
  "message.unstar": "message.star",
  "message.expand": "message.collapse",
};

const keysFor = (label: TextKey): string | undefined =>
  keyTable.find((binding) => binding.label === (keyedAs[label] ?? label))?.keys[0];

export function menuEntries(message: Message): MenuEntry[] {
  const allowed = groups(message)
    .map((items) => items.filter(({ action }) => typeof action === "object" || mayAct(action, message)))
    .filter((items) => items.length > 0);
  return allowed.flatMap((items, index): MenuEntry[] => [
    ...(index > 0 ? ["line" as const] : []),
    ...items.map(({ action, icon, label, isDangerous = false }) => {
      const keys = keysFor(label);
      return {
        label: t(label),
        icon,
        isDangerous,
        ...(keys === undefined ? {} : { keys }),
        // After the menu has given focus back.
        onSelect: () =>
          requestAnimationFrame(() =>
            typeof action === "object" ? openFloat(action.opens, message.id) : act(action, message),
          ),
      };
    }),
  ]);
}
