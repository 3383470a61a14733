/** Everything the palette can find: conversations, channels, people, actions. Local, so it answers between two keys. */
import { computed } from "@preact/signals";
import { openDialog } from "../app/dialogs.tsx";
import { keyTable } from "../app/keys.ts";
import { addressOf, channelAddress, conversationAddress, go } from "../app/router.ts";
import { Matcher } from "../composer/matching.ts";
import { conversationTitle } from "../conversation/conversation-name.tsx";
import { channelsById } from "../store/channels.ts";
import { conversationKey, directConversation, topicConversation, type Conversation } from "../store/conversations.ts";
import { directConversations } from "../store/direct.ts";
import { activePeople } from "../store/people.ts";
import { ownId, part } from "../store/state.ts";
import { knownTopics } from "../store/topics.ts";
import { inboxOrder } from "../store/unread.ts";
import { t } from "../text/t.ts";
import type { IconName } from "../ui/icon.tsx";

export interface Entry {
  key: string;
  label: string;
  detail?: string | undefined;
  icon: IconName;
  avatar?: string | undefined;
  keys?: string | undefined;
  /** Of two that fit equally well the greater comes first. */
  weight: number;
  run: () => void;
}

const conversationEntry = (conversation: Conversation, weight: number): Entry => ({
  key: conversationKey(conversation),
  label: conversationTitle(conversation),
  icon: conversation.kind === "topic" ? "message-square" : conversation.userIds.length > 1 ? "users" : "user",
  weight,
  run: () => go(conversationAddress(conversation)),
});

function conversations(): Entry[] {
  const unread = inboxOrder.value.map(({ conversation }) => conversationEntry(conversation, 5));
  const groups = directConversations.value
    .filter(({ userIds }) => userIds.length > 1)
    .map((conversation) => conversationEntry(conversation, 3));
  const topics = knownTopics().map(({ channelId, name }) => conversationEntry(topicConversation(channelId, name), 2));
  return [...unread, ...groups, ...topics];
}

const channels = (): Entry[] =>
  [...channelsById.value.values()]
    .filter((channel) => !channel.is_archived)
    .map((channel) => ({
      key: `channel ${channel.stream_id}`,
      label: `#${channel.name}`,
      detail: channel.description,
      icon: channel.invite_only ? "lock" : "hash",
      weight: channel.isSubscribed ? 4 : 1,
      run: () => go(channelAddress(channel.stream_id)),
    }));

const people = (): Entry[] =>
  activePeople.value.map((person) => ({
    key: `person ${person.user_id}`,
    label: person.full_name,
    detail: person.delivery_email ?? undefined,
    icon: person.is_bot ? "bot" : "user",
    avatar: person.avatar_url ?? `/avatar/${person.user_id}`,
    weight: person.is_bot ? 1 : 3,
    run: () => go(conversationAddress(directConversation([person.user_id], ownId.peek()))),
  }));

function actions(): Entry[] {
  const fromKeys = keyTable
    .filter(({ group }) => group === "go")
    .map(({ keys, label, run }) => ({
      key: `action ${label}`,
      label: t(label),
      icon: "arrow-right" as const,
      keys: keys[0],
      weight: 2,
      run: () => void run(),
    }));
  const more: Entry[] = [];
  const add = (label: string, icon: IconName, run: () => void) =>
    more.push({ key: `action ${label}`, label, icon, weight: 2, run });
  if (part("can_create_streams").value) add(t("channel.create"), "plus", () => openDialog("create-channel"));
  if (part("can_invite_others_to_realm").value) add(t("invite.title"), "user-plus", () => openDialog("invite"));
  add(t("direct.new"), "message-square-plus", () => openDialog("new-direct"));
  add(t("channel.browse"), "hash", () => go(addressOf({ kind: "channels" })));
  add(t("keys.title"), "keyboard", () => openDialog("keys"));
  return [...fromKeys, ...more];
}

const toMatcher = (entries: readonly Entry[]): Matcher<Entry> =>
  new Matcher(entries, ({ label, detail }) => `${label.replace(/^#/, "")}\n${detail ?? ""}`);

/** Many, and seldom another: what arrives while one types must not index everybody anew. */
const settled = computed(() => toMatcher([...channels(), ...people(), ...actions()]));

const moving = computed(() => {
  // An unread topic is also a known one; the first stays.
  const unique = new Map(
    conversations()
      .toReversed()
      .map((entry) => [entry.key, entry]),
  );
  return toMatcher([...unique.values()].toReversed());
});

const most = 12;

/** Conversations first, as far as they fit. */
export function findEntries(query: string): Entry[] {
  const typed = query.replace(/^[#@]/, "");
  const weightOf = ({ weight }: Entry): number => weight;
  const talked = moving.value.find(typed, most / 2, weightOf);
  const rest = settled.value.find(typed, most - talked.length, weightOf);
  return typed === "" || query.startsWith("#") ? [...talked, ...rest] : [...rest, ...talked].toSorted(byFit(typed));
}

/** A name that begins with what was typed comes before one that only has it. */
const byFit =
  (typed: string) =>
  (a: Entry, b: Entry): number =>
    Number(begins(b, typed)) - Number(begins(a, typed));

const begins = ({ label }: Entry, typed: string): boolean =>
  label.replace(/^#/, "").toLowerCase().startsWith(typed.toLowerCase());

export const searchEntry = (query: string): Entry => ({
  key: "search",
  label: t("palette.search", { query }),
  icon: "search",
  weight: 0,
  run: () => go(addressOf({ kind: "messages", narrow: [{ operator: "search", operand: query }] })),
});
