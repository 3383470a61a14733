/** A conversation in a list: its name, the last sender and message, the time, the unread count. */
import type { HTMLAttributes } from "preact";
import { conversationAddress } from "../navigation/router.ts";
import { ChannelName, TopicName } from "./conversation-name.tsx";
import { peopleNames } from "../store/conversation-title.ts";
import { VisibilityMenu } from "./visibility-menu.tsx";
import type { Conversation } from "../store/conversations.ts";
import { draftOf } from "../store/drafts.ts";
import { findMessage } from "../store/messages.ts";
import { isMutedPerson } from "../store/muted-people.ts";
import { findPerson } from "../store/people.ts";
import { markConversationRead } from "../store/reading.ts";
import { unreadIn } from "../store/unread.ts";
import { t, formatNumber } from "../text/t.ts";
import { fullTime, listTime } from "../text/time.ts";
import { Avatar } from "../ui/avatar.tsx";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/button.tsx";
import { tip } from "../ui/tooltip.tsx";
import styles from "./conversation-row.module.css";
import { plainText } from "../content/plain-text.ts";

interface ConversationRowProps {
  conversation: Conversation;
  /** The newest message that is known. */
  lastId: number | undefined;
  /** Recent senders, latest first. */
  senderIds: readonly number[];
  /** Whether to name the channel, because the list does not. */
  showsChannel: boolean;
  /** For a list of which only a part exists: the row's position, and its attributes. */
  attributes?: (HTMLAttributes<HTMLLIElement> & { "data-key": string }) | undefined;
}

const maxFaces = 3;

export function ConversationRow({ conversation, lastId, senderIds, showsChannel, attributes }: ConversationRowProps) {
  const unread = unreadIn(conversation);
  const last = lastId === undefined ? undefined : findMessage(lastId)?.value;
  const isLoud = unread !== undefined && (unread.isMention || conversation.kind === "direct");
  const [latest, ...others] = senderIds.filter((id) => !isMutedPerson(id)).slice(0, maxFaces);
  return (
    <li class={classes(styles.row, attributes && styles.placed)} {...attributes}>
      <a
        data-row
        class={classes(styles.link, unread && styles.unread)}
        href={conversationAddress(conversation, unread?.ids[0] ?? lastId)}
      >
        <Face userId={latest} size={36} />
        <span class={styles.text}>
          <span class={styles.title}>
            {conversation.kind === "topic" ? (
              <TopicName topic={conversation.topic} />
            ) : (
              <span class={styles.people} dir="auto">
                {peopleNames(conversation.userIds)}
              </span>
            )}
            {showsChannel && conversation.kind === "topic" && (
              <span class={styles.channel}>
                <ChannelName channelId={conversation.channelId} />
              </span>
            )}
            {unread?.isMention && (
              <span class={styles.mention} role="img" aria-label={t("unread.mention")}>
                <Icon name="at-sign" size={14} />
              </span>
            )}
            {draftOf(conversation) && (
              <span class={styles.draft} role="img" aria-label={t("drafts.one")}>
                <Icon name="pencil" size={12} />
              </span>
            )}
          </span>
          <span class={styles.last}>
            {last && !isMutedPerson(last.sender_id) && (
              <>
                {(conversation.kind === "topic" || conversation.userIds.length > 1) && (
                  <b dir="auto">{last.sender_full_name}: </b>
                )}
                <span dir="auto">{plainText(last.content)}</span>
              </>
            )}
          </span>
        </span>
        <span class={styles.others}>
          {others.map((id) => (
            <Face key={id} userId={id} size={22} />
          ))}
        </span>
        <span class={styles.side}>
          {last && (
            <time class={styles.time} {...tip(fullTime(last.timestamp))}>
              {listTime(last.timestamp)}
            </time>
          )}
          {unread && (
            <span class={classes(styles.count, isLoud && styles.loud)}>
              <span class="visually-hidden">{t("unread.count", { count: unread.ids.length })}</span>
              <span aria-hidden="true">{formatNumber(unread.ids.length)}</span>
            </span>
          )}
        </span>
      </a>
      <span class={styles.actions}>
        {unread && (
          <IconButton
            icon="check-check"
            size={16}
            label={t("conversation.markRead")}
            onClick={() => markConversationRead(conversation)}
          />
        )}
        {conversation.kind === "topic" && <VisibilityMenu topic={conversation} />}
      </span>
    </li>
  );
}

function Face({ userId, size }: { userId: number | undefined; size: number }) {
  if (userId === undefined) return <span />;
  const { full_name, avatar_url } = findPerson(userId);
  return <Avatar name={full_name} src={avatar_url ?? `/avatar/${userId}`} size={size} />;
}
