/** What keys do with the message that has focus, or had it last. */
import { composerHandle, focusComposer } from "../conversation/composer-handle.ts";
import { selectedKey } from "../conversation/selection.ts";
import { getMessage } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { conversationOf, directConversation, narrowOf } from "../store/conversations.ts";
import { openList } from "../store/lists.ts";
import { findMessage, idOfRow, type Message } from "../store/messages.ts";
import { reasonOf } from "../store/optimistic.ts";
import { toggleReaction } from "../store/reactions.ts";
import { markUnread, unreadKept } from "../store/reading.ts";
import { runAround } from "../store/runs.ts";
import { toggleStar } from "../store/stars.ts";
import { ownId } from "../store/state.ts";
import { t } from "../text/t.ts";
import { toast } from "../ui/toast.tsx";
import { addressOf, conversationAddress, go } from "./router.ts";

const thumbsUp = { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "unicode_emoji" } as const;

const actions = {
  open: (message: Message) => go(addressNear(message)),
  star: toggleStar,
  thumbsUp: (message: Message) => toggleReaction(message, thumbsUp),
  sameReaction: (message: Message) => {
    const [first] = message.reactions;
    if (first) toggleReaction(message, first);
  },
  markUnread: markUnreadFrom,
  copyLink: (message: Message) => {
    void navigator.clipboard
      .writeText(`${location.origin}/${addressNear(message)}`)
      .then(() => toast(t("conversation.linkCopied")));
  },
  quote: (message: Message) => void quote(message),
  mention: (message: Message) => {
    focusComposer();
    composerHandle.peek()?.insert(`@**${message.sender_full_name}** `);
  },
  directReply: (message: Message) => go(conversationAddress(directConversation([message.sender_id], ownId.peek()))),
} satisfies Record<string, (message: Message) => void>;

export type MessageAction = keyof typeof actions;

const addressNear = (message: Message): string =>
  addressOf({ kind: "conversation", conversation: conversationOf(message, ownId.peek()), near: message.id });

export function actOnSelected(action: MessageAction): boolean {
  const key = selectedKey.peek();
  const id = key === undefined ? undefined : idOfRow(key);
  const message = id === undefined ? undefined : findMessage(id)?.peek();
  if (!message) return false;
  actions[action](message);
  return true;
}

/** This message and all that follow it here. */
function markUnreadFrom(message: Message): void {
  const list = openList(narrowOf(conversationOf(message, ownId.peek()), ownId.peek()));
  const after = runAround(list.runs.peek(), message.id)?.ids.filter((id) => id >= message.id) ?? [message.id];
  unreadKept.value = list.key;
  markUnread(after);
}

/** The words themselves, as they were written, with a link to where they stand. */
async function quote(message: Message): Promise<void> {
  try {
    const { message: raw } = await call(getMessage, { message_id: message.id, apply_markdown: false });
    const link = `${location.origin}/${addressNear(message)}`;
    const fence = "`".repeat(Math.max(3, longestFence(raw.content) + 1));
    const who = `@_**${message.sender_full_name}|${message.sender_id}**`;
    const said = `${who} [${t("quote.said")}](${link}):`;
    focusComposer();
    composerHandle.peek()?.insertBlock(`${said}\n${fence}quote\n${raw.content}\n${fence}\n`);
  } catch (error) {
    toast(reasonOf(error), { kind: "danger" });
  }
}

const longestFence = (text: string): number => Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
