/**
 * All keyboard shortcuts, defined once: the handler, the shortcuts dialog, tooltips and the palette read this table. Single
 * letters work only outside text fields. No key destroys anything without a confirmation or an Undo.
 */
import { focusComposer, focusComposerThere } from "./composer-handle.ts";
import { listControls, visibilityMenu } from "./selection.ts";
import { filterField } from "./selection.ts";
import type { TextKey } from "../text/t.ts";
import { openDialog } from "../navigation/dialogs.ts";
import { openSidebar } from "../navigation/drawer.ts";
import type * as nextConversation from "./next-conversation.ts";
import { leaveOneStep } from "./escape.ts";
import type { Place } from "../navigation/place.ts";
import { go, openPanel, place } from "../navigation/router.ts";
import { actOnSelected } from "./selected-message.ts";
import { nextRegion } from "./regions.ts";

export type KeyGroup = "anywhere" | "go" | "write" | "message" | "topic";

export interface KeyBinding {
  /** `Mod` is ⌘ on a Mac and Ctrl elsewhere. A single character stands for itself, whatever keys it takes to type it. */
  readonly keys: readonly [string, ...string[]];
  readonly group: KeyGroup;
  readonly label: TextKey;
  /** Returns false when there was nothing to do; the browser then handles the key. */
  readonly run: () => boolean | void;
  /** Also works in text fields. */
  readonly isEverywhere?: true;
}

const goTo = (to: Place) => () => go(to);

/** Its code is loaded once the page has started. */
export const loadNextConversation = () => import("./next-conversation.ts");

const toOther = (choose: (ways: typeof nextConversation) => void) => (): void =>
  void loadNextConversation().then(choose);

const inList = (act: (controls: NonNullable<typeof listControls.value>) => void) => (): boolean => {
  const controls = listControls.peek();
  if (!controls) return false;
  act(controls);
  return true;
};

export const keyTable: readonly KeyBinding[] = [
  { keys: ["Mod+K"], group: "anywhere", label: "keys.palette", isEverywhere: true, run: () => openDialog("palette") },
  { keys: ["/"], group: "anywhere", label: "keys.search", run: () => openDialog("search") },
  { keys: ["?"], group: "anywhere", label: "keys.title", run: () => openDialog("keys") },
  { keys: ["Ctrl+F6"], group: "anywhere", label: "keys.region", isEverywhere: true, run: nextRegion },
  {
    keys: ["Alt+ArrowDown"],
    group: "anywhere",
    label: "keys.below",
    isEverywhere: true,
    run: toOther((ways) => ways.goToConversationBeside(1)),
  },
  {
    keys: ["Alt+ArrowUp"],
    group: "anywhere",
    label: "keys.above",
    isEverywhere: true,
    run: toOther((ways) => ways.goToConversationBeside(-1)),
  },
  {
    keys: ["Alt+Shift+ArrowDown"],
    group: "anywhere",
    label: "keys.unreadBelow",
    isEverywhere: true,
    run: toOther((ways) => ways.goToConversationBeside(1, { isUnread: true })),
  },
  {
    keys: ["Alt+Shift+ArrowUp"],
    group: "anywhere",
    label: "keys.unreadAbove",
    isEverywhere: true,
    run: toOther((ways) => ways.goToConversationBeside(-1, { isUnread: true })),
  },
  { keys: ["Escape"], group: "anywhere", label: "keys.escape", run: leaveOneStep },

  { keys: ["n"], group: "go", label: "keys.nextUnread", run: toOther((ways) => ways.goToNext("any")) },
  { keys: ["p"], group: "go", label: "keys.nextDirect", run: toOther((ways) => ways.goToNext("direct")) },
  { keys: ["Shift+N"], group: "go", label: "keys.nextFollowed", run: toOther((ways) => ways.goToNext("followed")) },
  { keys: ["Shift+I"], group: "go", label: "inbox.title", run: goTo({ kind: "inbox", tab: "unread" }) },
  { keys: ["t"], group: "go", label: "inbox.recent", run: goTo({ kind: "inbox", tab: "recent" }) },
  { keys: ["a"], group: "go", label: "messages.all", run: goTo({ kind: "messages", narrow: [] }) },
  {
    keys: ["*"],
    group: "go",
    label: "messages.starred",
    run: goTo({ kind: "messages", narrow: [{ operator: "is", operand: "starred" }] }),
  },
  { keys: ["d"], group: "go", label: "drafts.title", run: goTo({ kind: "drafts" }) },
  { keys: ["w"], group: "go", label: "keys.people", run: openPeople },
  { keys: ["q"], group: "go", label: "sidebar.filter", run: filterSidebar },

  { keys: ["c"], group: "write", label: "keys.newTopic", run: startTopicHere },
  { keys: ["x"], group: "write", label: "direct.new", run: () => openDialog("new-direct") },
  { keys: ["r", "Enter"], group: "write", label: "keys.reply", run: reply },
  { keys: [">"], group: "write", label: "keys.quote", run: () => actOnSelected("quote") },
  { keys: ["<"], group: "write", label: "message.forward", run: () => actOnSelected("forward") },
  { keys: ["@"], group: "write", label: "keys.mention", run: () => actOnSelected("mention") },
  { keys: ["Shift+R"], group: "write", label: "keys.directReply", run: () => actOnSelected("directReply") },

  { keys: ["j", "ArrowDown"], group: "message", label: "keys.down", run: inList((list) => list.move(1)) },
  { keys: ["k", "ArrowUp"], group: "message", label: "keys.up", run: inList((list) => list.move(-1)) },
  { keys: ["Home"], group: "message", label: "keys.first", run: inList((list) => list.moveToStart()) },
  { keys: ["End", "G"], group: "message", label: "keys.last", run: inList((list) => list.moveToEnd()) },
  { keys: ["PageDown", "Space"], group: "message", label: "keys.pageDown", run: inList((list) => list.page(1)) },
  { keys: ["PageUp"], group: "message", label: "keys.pageUp", run: inList((list) => list.page(-1)) },
  { keys: ["e"], group: "message", label: "message.edit", run: () => actOnSelected("edit") },
  { keys: [":"], group: "message", label: "message.react", run: () => actOnSelected("react") },
  { keys: ["+"], group: "message", label: "message.thumbsUp", run: () => actOnSelected("thumbsUp") },
  { keys: ["="], group: "message", label: "keys.sameReaction", run: () => actOnSelected("sameReaction") },
  { keys: ["Mod+S"], group: "message", label: "message.star", run: () => actOnSelected("star") },
  { keys: ["Shift+U"], group: "message", label: "keys.markUnread", run: () => actOnSelected("markUnread") },
  { keys: ["-"], group: "message", label: "message.collapse", run: () => actOnSelected("collapse") },
  { keys: ["m"], group: "message", label: "message.move", run: () => actOnSelected("move") },
  { keys: ["i"], group: "message", label: "message.more", run: () => actOnSelected("menu") },
  { keys: ["u"], group: "message", label: "message.sender", run: () => actOnSelected("sender") },
  { keys: ["v"], group: "message", label: "message.image", run: () => actOnSelected("image") },
  { keys: ["Shift+H"], group: "message", label: "message.history", run: () => actOnSelected("history") },
  { keys: ["Shift+V"], group: "message", label: "message.receipts", run: () => actOnSelected("receipts") },
  { keys: ["l"], group: "message", label: "keys.copyLink", run: () => actOnSelected("copyLink") },

  { keys: ["Shift+M"], group: "topic", label: "keys.visibility", run: openVisibilityMenu },
  { keys: ["y"], group: "topic", label: "keys.topics", run: () => toChannel("topics") },
  { keys: ["s"], group: "topic", label: "keys.feed", run: toggleFeed },
];

function reply(): boolean {
  if (place.peek().kind === "conversation") focusComposer();
  else return actOnSelected("open");
  return true;
}

function filterSidebar(): void {
  openSidebar();
  filterField.current?.focus();
  // A drawer is shown a frame later.
  requestAnimationFrame(() => filterField.current?.focus());
}

function openPeople(): boolean {
  if (place.peek().kind !== "conversation" && place.peek().kind !== "channel") return false;
  openPanel({ kind: "details", tab: "people" });
  return true;
}

function openVisibilityMenu(): boolean {
  const button = visibilityMenu.current?.querySelector("button");
  button?.click();
  return button !== undefined;
}

const channelHere = (): number | undefined => {
  const at = place.peek();
  if (at.kind === "channel") return at.channelId;
  return at.kind === "conversation" && at.conversation.kind === "topic" ? at.conversation.channelId : undefined;
};

function toChannel(tab: "topics" | "feed"): boolean {
  const channelId = channelHere();
  if (channelId === undefined) return false;
  go({ kind: "channel", channelId, tab });
  return true;
}

function startTopicHere(): boolean {
  const isInChannel = toChannel("topics");
  if (isInChannel) focusComposerThere();
  return isInChannel;
}

/** From a topic to its channel's feed; from a feed to the selected message's topic. */
function toggleFeed(): boolean {
  return place.peek().kind === "conversation" ? toChannel("feed") : actOnSelected("open");
}
