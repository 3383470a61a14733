/** A message's most used actions, at its edge while it is hovered or focused. The rest are in its menu. */
import { act, mayAct, type MessageAction } from "../commands/selected-message.ts";
import type { Message } from "../store/messages.ts";
import { openFloat } from "../commands/floats.ts";
import { t, type TextKey } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import type { IconName } from "../ui/icon.tsx";
import styles from "./message-actions.module.css";

interface Shown {
  action: MessageAction;
  icon: IconName;
  label: TextKey;
  keys: string;
}

const shownFor = (message: Message): Shown[] => {
  const isStarred = message.flags.includes("starred");
  const all: Shown[] = [
    { action: "quote", icon: "quote", label: "keys.quote", keys: ">" },
    { action: "edit", icon: "pencil", label: "message.edit", keys: "e" },
    {
      action: "star",
      icon: isStarred ? "star-off" : "star",
      label: isStarred ? "message.unstar" : "message.star",
      keys: "Mod+S",
    },
  ];
  return all.filter(({ action }) => mayAct(action, message));
};

interface MessageActionsProps {
  message: Message;
  /** Only one message's buttons are in the tab order. */
  isTabStop: boolean;
}

export const MessageActions = ({ message, isTabStop }: MessageActionsProps) => (
  <div class={styles.actions} role="group" aria-label={t("message.actions")}>
    <IconButton
      icon="smile-plus"
      size={16}
      tabIndex={isTabStop ? 0 : -1}
      label={t("message.react")}
      keys=":"
      aria-haspopup="dialog"
      onClick={(event) => openFloat("react", message.id, event.currentTarget)}
    />
    {shownFor(message).map(({ action, icon, label, keys }) => (
      <IconButton
        key={action}
        icon={icon}
        size={16}
        tabIndex={isTabStop ? 0 : -1}
        label={t(label)}
        keys={keys}
        onClick={() => act(action, message)}
      />
    ))}
    <IconButton
      icon="ellipsis"
      size={16}
      tabIndex={isTabStop ? 0 : -1}
      label={t("message.more")}
      keys="i"
      data-menu
      aria-haspopup="menu"
      onClick={(event) => openFloat("menu", message.id, event.currentTarget)}
    />
  </div>
);
