/** All messages of a channel in order, grouped by topic. Replies are written in the topics. */
import "../text/chunks/search.ts";
import { useMemo } from "preact/hooks";
import { Empty } from "../ui/empty.tsx";
import { MessageList } from "../conversation/message-list.tsx";
import type { Opening } from "../conversation/opening.ts";
import { plainText } from "../content/plain-text.ts";
import type { Channel } from "../store/channels.ts";
import { openList } from "../store/lists.ts";
import { markRead } from "../store/reading.ts";
import { part } from "../store/state.ts";
import { unreadByChannel } from "../store/unread.ts";
import { t } from "../text/t.ts";

interface FeedProps {
  channel: Channel;
  near: number | undefined;
}

export function Feed({ channel, near }: FeedProps) {
  const channelId = channel.stream_id;
  const list = useMemo(() => openList([{ operator: "channel", operand: channelId }]), [channelId]);
  const opening = useMemo((): Opening => {
    if (near !== undefined) return { at: "message", id: near };
    return unreadByChannel.peek().has(channelId) ? { at: "first unread" } : { at: "newest" };
  }, [channelId, near]);
  const marksRead = part("user_settings").value?.web_mark_read_on_scroll_policy === 1;
  return (
    <MessageList
      key={channelId}
      list={list}
      label={`#${channel.name}`}
      opening={opening}
      echoes={none}
      isMixed
      onSeen={marksRead ? markRead : undefined}
      empty={
        <Empty icon="hash" title={t("messages.none")}>
          {channel.description !== "" && <p dir="auto">{plainText(channel.rendered_description)}</p>}
        </Empty>
      }
    />
  );
}

const none: never[] = [];
