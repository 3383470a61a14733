/** One message, or a message being sent. Both use the same row, so that nothing moves when it arrives. */
import { useSignal } from "@preact/signals";
import { useContext, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { openPanel } from "../navigation/router.ts";
import { conversationAddress } from "../navigation/router.ts";
import { Lazy } from "../ui/lazy.tsx";
import { openFloat } from "../commands/floats.ts";
import { conversationOf } from "../store/conversations.ts";
import { editOf } from "../store/edits.ts";
import { findMessage, type Message } from "../store/messages.ts";
import { isHidden } from "../store/muted-people.ts";
import type { Outgoing } from "../store/outbox.ts";
import { findKnownPerson, findPerson } from "../store/people.ts";
import { ownId } from "../store/state.ts";
import { t } from "../text/t.ts";
import { dayName, fullTime, shortTime, timeOfDay } from "../text/time.ts";
import { Avatar } from "../ui/avatar.tsx";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import { tip } from "../ui/tooltip.tsx";
import { ConversationBar } from "./conversation-bar.tsx";
import { EchoState } from "./echo-state.tsx";
import { linesAbove, type Neighbour } from "./grouping.ts";
import { MessageActions } from "./message-actions.tsx";
import { MessageText } from "./message-text.tsx";
import styles from "./message-row.module.css";
import { MessageViewContext } from "./message-view.ts";
import { Reactions } from "./reactions.tsx";
import { selectedKey } from "../commands/selection.ts";

/** Only primitive values, no new objects: a row rerenders only when one of them, or a signal it read, has changed. */
interface MessageRowProps {
  rowKey: string;
  id: number;
  echo: Outgoing | undefined;
  /** The lines above it. */
  beforeId: number | undefined;
  beforeEcho: Outgoing | undefined;
  /** Only one message is in the tab order. */
  isTabStop: boolean;
}

export function MessageRow({ rowKey, id, echo, beforeId, beforeEcho, isTabStop }: MessageRowProps) {
  const { isMixed, newFromId, targetId, matches, showsDates, seen } = useContext(MessageViewContext);
  const end = useRef<HTMLSpanElement>(null);
  const isPointedAt = useSignal(false);
  const message = echo ? undefined : findMessage(id)?.value;
  const about = echo ? neighbourOfEcho(echo) : message;
  const edit = useMemo(() => editOf(id), [id]).value;
  const isUnread = message !== undefined && !message.flags.includes("read");

  useLayoutEffect(() => {
    if (isUnread && end.current && seen) return seen.watch(id, end.current);
    return undefined;
  }, [isUnread, id, seen]);

  if (!about) return null;
  const lines = linesAbove(about, neighbourOf(beforeId, beforeEcho), isMixed);
  const sender = findPerson(about.sender_id);
  const senderName = sender.full_name || message?.sender_full_name || "";
  const label = `${rowKey}-label`;
  return (
    <article
      class={styles.row}
      data-key={rowKey}
      data-grouped={!lines.sender}
      tabIndex={isTabStop ? 0 : -1}
      aria-labelledby={label}
      aria-describedby={`${rowKey}-text`}
      aria-setsize={-1}
      onFocusIn={() => {
        selectedKey.value = rowKey;
      }}
      onPointerEnter={() => {
        isPointedAt.value = true;
      }}
      onPointerLeave={() => {
        isPointedAt.value = false;
      }}
      onContextMenu={(event) => {
        if (message && isTouch(event)) openMenu(event, id);
      }}
    >
      {lines.day && (
        <div class={styles.day}>
          <span>{dayName(about.timestamp)}</span>
        </div>
      )}
      {newFromId === id && (
        <div class={styles.new}>
          <span>{t("message.new")}</span>
        </div>
      )}
      {lines.conversation && message && (
        <ConversationBar
          conversation={conversationOf(message, ownId.value)}
          address={conversationAddress(conversationOf(message, ownId.value), message.id)}
          match={matches?.get(message.id)?.topic}
        />
      )}
      <div
        data-message
        class={classes(
          styles.message,
          message?.flags.some((flag) => mentionFlags.has(flag)) && styles.mention,
          targetId === id && styles.target,
          echo && styles.echo,
        )}
      >
        <div class={styles.side}>
          {lines.sender ? (
            // The name beside it does the same for keyboard users.
            <span class={styles.face} onClick={() => openPanel({ kind: "user", userId: about.sender_id })}>
              <Avatar name={senderName} src={avatarOf(about.sender_id, message)} />
            </span>
          ) : (
            <time class={styles.sideTime} aria-hidden="true">
              {timeOfDay(about.timestamp)}
            </time>
          )}
        </div>
        <div class={styles.body}>
          <div id={label} class={lines.sender ? styles.head : "visually-hidden"}>
            {lines.sender ? (
              <button
                type="button"
                class={styles.name}
                dir="auto"
                tabIndex={isTabStop ? 0 : -1}
                onClick={() => openPanel({ kind: "user", userId: about.sender_id })}
              >
                {senderName}
              </button>
            ) : (
              <span dir="auto">{senderName}</span>
            )}
            {sender.is_bot && (
              <span class={styles.badge} role="img" aria-label={t("message.bot")}>
                <Icon name="bot" size={14} />
              </span>
            )}
            <time
              class={styles.time}
              dateTime={new Date(about.timestamp * 1000).toISOString()}
              {...tip(fullTime(about.timestamp))}
            >
              {showsDates ? shortTime(about.timestamp) : timeOfDay(about.timestamp)}
            </time>
          </div>
          <div id={`${rowKey}-text`} class={styles.text}>
            {message && edit?.state === "open" ? (
              <Lazy load={editor} props={{ message }} />
            ) : message && edit === undefined ? (
              <MessageText message={message} />
            ) : (
              <div class={classes("content", styles.plain)}>{echo?.content ?? edit?.text}</div>
            )}
          </div>
          {message && message.reactions.length > 0 && !isHidden(message) && (
            <Reactions message={message} isTabStop={isTabStop} />
          )}
          {echo && <EchoState echo={echo} />}
        </div>
        {/* These are half of a row's elements, so they exist only while they can be seen or reached. */}
        {message && edit === undefined && (isTabStop || isPointedAt.value) && (
          <MessageActions message={message} isTabStop={isTabStop} />
        )}
        {message?.flags.includes("starred") && (
          <span class={styles.star} role="img" aria-label={t("message.starred")}>
            <Icon name="star" size={14} />
          </span>
        )}
        <span ref={end} class={styles.end} />
      </div>
    </article>
  );
}

const editor = () => import("./message-editor.tsx");

const isTouch = (event: MouseEvent): boolean => (event as PointerEvent).pointerType === "touch"; // a PointerEvent in all browsers

/** A long press opens the same menu as ⋯. */
function openMenu(event: MouseEvent & { currentTarget: HTMLElement }, id: number): void {
  // A link has a context menu of its own.
  if (event.target instanceof Element && event.target.closest("a, img")) return;
  event.preventDefault();
  openFloat("menu", id, event.currentTarget);
}

const mentionFlags = new Set(["mentioned", "stream_wildcard_mentioned", "topic_wildcard_mentioned"]);

const avatarOf = (senderId: number, message: Message | undefined): string =>
  (findKnownPerson(senderId) ?? message)?.avatar_url ?? `/avatar/${senderId}`;

const neighbourOf = (id: number | undefined, echo: Outgoing | undefined): Neighbour | undefined =>
  echo ? neighbourOfEcho(echo) : id === undefined ? undefined : findMessage(id)?.value;

const neighbourOfEcho = ({ writtenAt, conversation }: Outgoing): Neighbour => ({
  sender_id: ownId.value,
  timestamp: writtenAt,
  subject: conversation.kind === "topic" ? conversation.topic : "",
  recipient_id: 0,
  is_me_message: false,
});
