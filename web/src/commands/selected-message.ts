/** Message actions by name: for keys, which act on the message focused now or last, and for the message's menu. */
import { getMessage } from "@skein/api/routes/messages.ts";
import { call } from "../api/call.ts";
import { composerHandle, focusComposer } from "./composer-handle.ts";
import { conversationTitle } from "../store/conversation-title.ts";
import { selectedKey } from "./selection.ts";
import { openFloat, type FloatKind } from "./floats.ts";
import {
  conversationOf,
  directConversation,
  isSameConversation,
  narrowOf,
  topicConversation,
  type Conversation,
} from "../store/conversations.ts";
import { draftOf, keepDraft } from "../store/drafts.ts";
import { beginEdit } from "../store/edits.ts";
import { openList } from "../store/lists.ts";
import { toggleCollapsed, toggleStar } from "../store/marks.ts";
import { findMessage, idOfRow, rowKeyOf, type Message } from "../store/messages.ts";
import { reasonOf } from "../store/reasons.ts";
import { mayDelete, mayEdit, mayMove, maySeeHistory, maySeeReceipts } from "../store/permissions.ts";
import { toggleReaction } from "../store/reactions.ts";
import { markUnread, keptUnread } from "../store/reading.ts";
import { runAround } from "../store/runs.ts";
import { ownId } from "../store/state.ts";
import { quotation } from "../text/quotation.ts";
import { announce } from "../store/announcements.ts";
import { t } from "../text/t.ts";
import { toast } from "../store/toasts.ts";
import { addressOf, conversationAddress, go, openPanel, place } from "../navigation/router.ts";

const thumbsUp = { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "unicode_emoji" } as const;

const actions = {
  open: (message: Message) => go(addressNear(message)),
  edit: (message: Message) => void beginEdit(message),
  star: toggleStar,
  collapse: toggleCollapsed,
  react: (message: Message) => float("react", message),
  menu: (message: Message) => float("menu", message),
  move: (message: Message) => float("move", message),
  delete: (message: Message) => float("delete", message),
  forward: (message: Message) => float("forward", message),
  thumbsUp: (message: Message) => toggleReaction(message, thumbsUp),
  sameReaction: (message: Message) => {
    const [first] = message.reactions;
    if (first) toggleReaction(message, first);
  },
  markUnread: markUnreadFrom,
  copyLink: (message: Message) => {
    void navigator.clipboard.writeText(linkTo(message)).then(() => toast(t("conversation.linkCopied")));
  },
  quote: (message: Message) => void quote(message),
  mention: (message: Message) =>
    write(conversationOf(message, ownId.peek()), `@**${message.sender_full_name}|${message.sender_id}** `),
  directReply: (message: Message) => go(conversationAddress(directConversation([message.sender_id], ownId.peek()))),
  newTopic: replyInNewTopic,
  sender: (message: Message) => openPanel({ kind: "user", userId: message.sender_id }),
  history: (message: Message) => openPanel({ kind: "history", messageId: message.id }),
  receipts: (message: Message) => openPanel({ kind: "receipts", messageId: message.id }),
  image: (message: Message) =>
    rowOf(message)?.querySelector<HTMLElement>(".message_inline_image > a, .message_inline_video > a")?.click(),
} satisfies Record<string, (message: Message) => void>;

export type MessageAction = keyof typeof actions;

const permissions: Partial<Record<MessageAction, (message: Message) => boolean>> = {
  open: () => place.peek().kind !== "conversation",
  edit: mayEdit,
  move: mayMove,
  delete: mayDelete,
  history: maySeeHistory,
  receipts: maySeeReceipts,
  newTopic: ({ stream_id }) => stream_id !== undefined,
  directReply: ({ sender_id }) => sender_id !== ownId.peek(),
};

export const mayAct = (action: MessageAction, message: Message): boolean => permissions[action]?.(message) ?? true;

export function act(action: MessageAction, message: Message): void {
  if (mayAct(action, message)) actions[action](message);
  else toast(t("message.mayNot"));
}

export function actOnSelected(action: MessageAction): boolean {
  const key = selectedKey.peek();
  const id = key === undefined ? undefined : idOfRow(key);
  const message = id === undefined ? undefined : findMessage(id)?.peek();
  if (!message) return false;
  act(action, message);
  return true;
}

const rowOf = ({ id }: Message): HTMLElement | null =>
  document.querySelector(`article[data-key="${CSS.escape(rowKeyOf(id))}"]`);

function float(kind: FloatKind, message: Message): void {
  const row = rowOf(message);
  openFloat(kind, message.id, row?.querySelector<HTMLElement>("[data-menu]") ?? row);
}

const addressNear = (message: Message): string =>
  addressOf({ kind: "conversation", conversation: conversationOf(message, ownId.peek()), near: message.id });

const linkTo = (message: Message): string => `${location.origin}/${addressNear(message)}`;

/** This message and all that follow it here. */
function markUnreadFrom(message: Message): void {
  const list = openList(narrowOf(conversationOf(message, ownId.peek()), ownId.peek()));
  const after = runAround(list.runs.peek(), message.id)?.ids.filter((id) => id >= message.id) ?? [message.id];
  keptUnread.value = { listKey: list.key, fromId: message.id };
  announce(t("reading.kept"));
  markUnread(after);
}

/** Writes into a conversation's composer, navigating there first if needed. */
export function write(conversation: Conversation, text: string): void {
  const at = place.peek();
  const composer = composerHandle.peek();
  if (composer && at.kind === "conversation" && isSameConversation(at.conversation, conversation)) {
    focusComposer();
    if (text.endsWith("\n")) composer.insertBlock(text);
    else composer.insert(text);
    return;
  }
  const begun = draftOf(conversation)?.text ?? "";
  keepDraft(conversation, begun.trim() === "" ? text : `${begun}\n${text}`);
  go(conversationAddress(conversation));
}

/** Quotes the message's source text with a link to the message. */
export async function quoted(message: Message): Promise<string> {
  const { message: raw } = await call(getMessage, { message_id: message.id, apply_markdown: false });
  return quotation({
    name: message.sender_full_name,
    userId: message.sender_id,
    link: linkTo(message),
    content: raw.content,
  });
}

async function quote(message: Message): Promise<void> {
  try {
    write(conversationOf(message, ownId.peek()), await quoted(message));
  } catch (error) {
    toast(reasonOf(error), { kind: "danger" });
  }
}

/** Starts a draft with a link back, where topics are started. */
function replyInNewTopic(message: Message): void {
  const channelId = message.stream_id ?? 0;
  const name = conversationTitle(conversationOf(message, ownId.peek())).replaceAll(/[[\]]/g, "");
  keepDraft(topicConversation(channelId, ""), `[${t("quote.from", { name })}](${linkTo(message)})\n`);
  go({ kind: "channel", channelId, tab: "topics" });
}
