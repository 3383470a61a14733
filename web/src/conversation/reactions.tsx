/** The reactions below a message. A click adds or removes the reader's own. */
import { glyphOf } from "../text/glyph.ts";
import { openFloat } from "../commands/floats.ts";
import type { Message } from "../store/messages.ts";
import { findPerson } from "../store/people.ts";
import { groupReactions, toggleReaction, type ReactionGroup } from "../store/reactions.ts";
import { part } from "../store/state.ts";
import { listNames } from "../text/names.ts";
import { formatNumber, t } from "../text/t.ts";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import { tip } from "../ui/tooltip.tsx";
import styles from "./reactions.module.css";

const maxNamesBeside = 3;

interface ReactionsProps {
  message: Message;
  isTabStop: boolean;
}

export function Reactions({ message, isTabStop }: ReactionsProps) {
  const groups = groupReactions(message);
  const count = groups.reduce((sum, { userIds }) => sum + userIds.length, 0);
  const showsNames = (part("user_settings").value?.display_emoji_reaction_users ?? true) && count <= maxNamesBeside;
  return (
    <div class={styles.reactions} role="group" aria-label={t("reactions.label")}>
      {groups.map((group) => {
        const names = listNames(
          group.userIds.map((id) => findPerson(id).full_name),
          10,
        );
        const label = t("reactions.by", { names, emoji: group.emoji_name });
        return (
          <button
            key={`${group.reaction_type} ${group.emoji_code}`}
            type="button"
            class={styles.reaction}
            tabIndex={isTabStop ? 0 : -1}
            aria-pressed={group.isMine}
            aria-label={label}
            {...tip(label)}
            onClick={() => toggleReaction(message, group)}
          >
            <EmojiGlyph emoji={group} />
            <span class={styles.count}>{showsNames ? names : formatNumber(group.userIds.length)}</span>
          </button>
        );
      })}
      <button
        type="button"
        class={classes(styles.reaction, styles.add)}
        tabIndex={isTabStop ? 0 : -1}
        aria-label={t("reactions.add")}
        aria-haspopup="dialog"
        {...tip(t("reactions.add"), ":")}
        onClick={(event) => openFloat("react", message.id, event.currentTarget)}
      >
        <Icon name="smile-plus" size={14} />
      </button>
    </div>
  );
}

function EmojiGlyph({ emoji }: { emoji: ReactionGroup }) {
  const own = part("realm_emoji").value?.[emoji.emoji_code];
  if (emoji.reaction_type === "unicode_emoji")
    return <span class={styles.glyph}>{glyphOf(emoji.emoji_code) ?? `:${emoji.emoji_name}:`}</span>;
  const source = own?.source_url ?? "/static/generated/emoji/images/emoji/unicode/zulip.png";
  return <img src={source} alt="" width={18} height={18} />;
}
