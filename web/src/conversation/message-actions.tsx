/** What can be done with a message, at its edge while it is hovered or focused. */
import { toggleStar } from "../store/stars.ts";
import type { Message } from "../store/messages.ts";
import { toggleReaction } from "../store/reactions.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import styles from "./message-actions.module.css";

const thumbsUp = { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "unicode_emoji" } as const;

export const MessageActions = ({ message }: { message: Message }) => (
  <div class={styles["actions"]} role="group" aria-label={t("message.actions")}>
    <IconButton
      icon="smile-plus"
      size={16}
      label={t("message.thumbsUp")}
      keys="+"
      onClick={() => toggleReaction(message, thumbsUp)}
    />
    <IconButton
      icon={message.flags.includes("starred") ? "star-off" : "star"}
      size={16}
      label={t(message.flags.includes("starred") ? "message.unstar" : "message.star")}
      keys="Mod+S"
      onClick={() => toggleStar(message)}
    />
  </div>
);
