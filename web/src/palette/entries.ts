/** Everything the palette can find: conversations, channels, people, actions. Local, so it responds within a keystroke. */
import "../text/chunks/palette.ts";
import { computed } from "@preact/signals";
import { openDialog } from "../navigation/dialogs.ts";
import { keyTable } from "../commands/keys.ts";
import { addressOf, channelAddress, conversationAddress, go } from "../navigation/router.ts";
import { channelMatcher } from "../store/channel-matcher.ts";
import { bestOf, Matcher } from "../text/matching.ts";
import { conversationTitle } from "../store/conversation-title.ts";
import type { Channel } from "../store/channels.ts";
import { conversationKey, directConversation, topicConversation, type Conversation } from "../store/conversations.ts";
import { directConversations } from "../store/direct.ts";
import { plainText } from "../content/plain-text.ts";
import { peopleMatcher } from "../store/people-matcher.ts";
import { findPerson, type Person } from "../store/people.ts";
import { ownId, part } from "../store/state.ts";
import { inboxOrder } from "../store/unread.ts";
import { t } from "../text/t.ts";
import type { Entry } from "./entry.ts";
import type { IconName } from "../ui/icon.tsx";
import { channelOnScreen, settingEntries } from "./setting-entries.ts";
import { rankTopics, topicsBySearch } from "../store/more-topics.ts";

/** Several have none. */
const faceOf = ([only, ...others]: readonly number[]): string | undefined =>
  only === undefined || others.length > 0 ? undefined : (findPerson(only).avatar_url ?? `/avatar/${only}`);

const conversationEntry = (conversation: Conversation, weight: number): Entry => ({
  key: conversationKey(conversation),
  label: conversationTitle(conversation),
  icon: conversation.kind === "topic" ? "message-square" : conversation.userIds.length > 1 ? "users" : "user",
  ...(conversation.kind === "direct" ? { avatar: faceOf(conversation.userIds) } : {}),
  weight,
  run: () => go(conversationAddress(conversation)),
});

function conversations(): Entry[] {
  const unread = inboxOrder.value.map(({ conversation }) => conversationEntry(conversation, 5));
  const groups = directConversations.value
    .filter(({ userIds }) => userIds.length > 1)
    .map((conversation) => conversationEntry(conversation, 3));
  const topics = topicsBySearch.value.map(({ channelId, name }) =>
    conversationEntry(topicConversation(channelId, name), 2),
  );
  return [...unread, ...groups, ...topics];
}

const channelEntry = (channel: Channel): Entry => ({
  key: `channel ${channel.stream_id}`,
  label: `#${channel.name}`,
  detail: plainText(channel.rendered_description),
  icon: channel.invite_only ? "lock" : "hash",
  run: () => go(channelAddress(channel.stream_id)),
});

const personEntry = (person: Person): Entry => ({
  key: `person ${person.user_id}`,
  label: person.full_name,
  detail: person.delivery_email ?? undefined,
  icon: person.is_bot ? "bot" : "user",
  // Their own picture or initials: no request on each keystroke.
  avatar: person.avatar_url ?? null,
  run: () => go(conversationAddress(directConversation([person.user_id], ownId.peek()))),
});

function actions(): Entry[] {
  const fromKeys = keyTable
    .filter(({ group }) => group === "go")
    .map(({ keys, label, run }) => ({
      key: `action ${label}`,
      label: t(label),
      icon: "arrow-right" as const,
      keys: keys[0],
      run: () => void run(),
    }));
  const more: Entry[] = [];
  const add = (label: string, icon: IconName, run: () => void) =>
    more.push({ key: `action ${label}`, label, icon, run });
  if (part("can_create_streams").value) add(t("channel.create"), "plus", () => openDialog("create-channel"));
  if (part("can_invite_others_to_realm").value) add(t("invite.title"), "user-plus", () => openDialog("invite"));
  add(t("direct.new"), "message-square-plus", () => openDialog("new-direct"));
  add(t("channel.browse"), "hash", () => go(addressOf({ kind: "channels" })));
  const channelId = channelOnScreen.value;
  if (channelId !== undefined)
    add(t("channel.settings"), "settings", () => go({ kind: "channel-settings", channelId, section: "" }));
  add(t("place.settings"), "settings", () => go({ kind: "settings", section: "" }));
  add(t("place.organization"), "building-2", () => go({ kind: "organization", section: "" }));
  add(t("views.title"), "bookmark", () => openDialog("views"));
  add(t("keys.title"), "keyboard", () => openDialog("keys"));
  return [...fromKeys, ...more];
}

const textOf = ({ label, detail }: Entry): string => `${label}\n${detail ?? ""}`;

const actionsMatcher = computed(() => new Matcher(actions(), textOf));

const settingsMatcher = computed(() => new Matcher(settingEntries.value, textOf));

const conversationMatcher = computed(() => {
  // An unread topic is also a known one; keep the first.
  const unique = new Map(
    conversations()
      .toReversed()
      .map((entry) => [entry.key, entry]),
  );
  return new Matcher([...unique.values()].toReversed(), textOf);
});

const weightOf = ({ weight }: Entry): number => weight ?? 0;

function findConversations(typed: string, limit: number): Entry[] {
  const topics = rankTopics(typed, limit).map(({ item, rank }) => {
    const entry = conversationEntry(item, 2);
    return { item: entry, rank, weight: weightOf(entry) };
  });
  const found = [...conversationMatcher.value.rank(typed, limit, weightOf), ...topics];
  // An unread topic is also a known one; keep the first.
  const unique = new Map<string, Entry>();
  for (const entry of bestOf(found, 2 * limit)) if (!unique.has(entry.key)) unique.set(entry.key, entry);
  return [...unique.values()].slice(0, limit);
}

const maxEntries = 12;

/** Among equally good matches: subscribed channels, then people and actions, then bots and other channels. */
const weights = {
  channel: ({ isSubscribed }: Channel) => (isSubscribed ? 4 : 1),
  person: ({ is_bot }: Person) => (is_bot ? 1 : 3),
  action: () => 2,
};

function findPlaces(typed: string, limit: number): Entry[] {
  const found = [
    ...channelMatcher.value.rank(typed, limit, weights.channel),
    ...peopleMatcher.value.rank(typed, limit, weights.person),
    ...actionsMatcher.value.rank(typed, limit, weights.action),
  ];
  return bestOf<Channel | Person | Entry>(found, limit).map((each) =>
    "user_id" in each ? personEntry(each) : "stream_id" in each ? channelEntry(each) : each,
  );
}

const findSettings = (typed: string, limit: number): Entry[] =>
  typed === "" ? [] : settingsMatcher.value.find(typed, limit);

/** Conversations first, as far as they match, if nothing is typed; otherwise the best match. Settings give way to the rest. */
export function findEntries(query: string): Entry[] {
  const typed = query.replace(/^[#@]/, "");
  const conversationEntries = findConversations(typed, maxEntries / 2);
  const places = findPlaces(typed, maxEntries - conversationEntries.length);
  if (typed === "" || query.startsWith("#")) return [...conversationEntries, ...places];
  const settings = findSettings(typed, maxEntries);
  return [...places, ...conversationEntries, ...settings].toSorted(byFit(typed)).slice(0, maxEntries);
}

/** A name that starts with the query comes before one that only contains it. */
const byFit =
  (typed: string) =>
  (a: Entry, b: Entry): number =>
    Number(begins(b, typed)) - Number(begins(a, typed));

/** The name of a topic comes after that of its channel. */
const begins = ({ label }: Entry, typed: string): boolean =>
  label.split(" › ").some((name) => name.replace(/^#/, "").toLowerCase().startsWith(typed.toLowerCase()));

export const searchEntry = (query: string): Entry => ({
  key: "search",
  label: t("palette.search", { query }),
  icon: "search",
  run: () => go(addressOf({ kind: "messages", narrow: [{ operator: "search", operand: query }] })),
});
