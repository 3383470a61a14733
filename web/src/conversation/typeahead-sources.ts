/** Typeahead suggestions from the store: people, groups, channels, topics. */
import { computed } from "@preact/signals";
import { bestOf, Matcher } from "../text/matching.ts";
import {
  channelBeforeTopicText,
  channelText,
  groupMentionText,
  mentionText,
  maxSuggestions,
  topicText,
  type Suggestion,
  type TypeaheadSources,
} from "../composer/sources.ts";
import { suggestEmoji } from "../composer/suggest-emoji.ts";
import { channelMatcher } from "../store/channel-matcher.ts";
import { findChannelByName, type Channel } from "../store/channels.ts";
import { emoji } from "../store/emoji.ts";
import { peopleMatcher } from "../store/people-matcher.ts";
import { activePeople, type Person } from "../store/people.ts";
import { part } from "../store/state.ts";
import { topicsOf } from "../store/topics.ts";
import { t } from "../text/t.ts";

interface Group {
  id: number;
  name: string;
  description: string;
}

/** Wildcard mentions, by the names the server knows. */
const wildcards = ["all", "everyone", "channel", "topic"] as const;

type Mentionable = Person | { group: Group } | { wildcard: (typeof wildcards)[number] };

/** All suggestions that are not people. */
const groups = computed(() => {
  const own = (part("realm_user_groups").value ?? []).filter((group) => !group.deactivated && !group.is_system_group);
  const all: Exclude<Mentionable, Person>[] = [
    ...own.map((group) => ({ group })),
    ...wildcards.map((wildcard) => ({ wildcard })),
  ];
  return new Matcher(all, (each) => ("group" in each ? each.group.name : each.wildcard));
});

/** People with the same name are distinguished by their ids. */
function nameToWrite({ full_name, user_id }: Person): string {
  const isShared = activePeople.peek().some((other) => other.full_name === full_name && other.user_id !== user_id);
  return isShared ? `${full_name}|${user_id}` : full_name;
}

function mention(each: Mentionable, isSilent: boolean | undefined): Suggestion {
  if ("user_id" in each)
    return {
      key: `person ${each.user_id}`,
      label: each.full_name,
      detail: each.delivery_email ?? "",
      // Their own picture or initials: no request on each keystroke.
      avatar: each.avatar_url ?? null,
      // Requested only for the chosen one.
      get insert() {
        return mentionText(nameToWrite(each), isSilent);
      },
    };
  if ("group" in each) {
    const { id, name, description } = each.group;
    return {
      key: `group ${id}`,
      label: name,
      detail: description,
      icon: "users",
      insert: groupMentionText(name, isSilent),
    };
  }
  const { wildcard } = each;
  return {
    key: wildcard,
    label: wildcard,
    detail: t(wildcard === "topic" ? "typeahead.topic" : "typeahead.everyone"),
    icon: "users",
    insert: mentionText(wildcard, isSilent),
  };
}

const botsLast = ({ is_bot }: Person): number => Number(!is_bot) + 1;
const ownFirst = ({ isSubscribed }: Channel): number => Number(isSubscribed);

function findMentionables(query: string): Mentionable[] {
  const people = peopleMatcher.value.rank(query, maxSuggestions, botsLast);
  return bestOf<Mentionable>([...people, ...groups.value.rank(query, maxSuggestions)], maxSuggestions);
}

export const typeaheadSources: TypeaheadSources = {
  person: ({ query, isSilent }) => findMentionables(query).map((each) => mention(each, isSilent)),
  channel: ({ query }) =>
    channelMatcher.value.find(query, maxSuggestions, ownFirst).map(({ stream_id, name, description, invite_only }) => ({
      key: `channel ${stream_id}`,
      label: name,
      detail: description,
      icon: invite_only ? "lock" : "hash",
      insert: channelText(name),
      insertForTopics: channelBeforeTopicText(name),
    })),
  topic: async ({ query, channel = "" }) => {
    const found = findChannelByName(channel);
    if (!found) return [];
    const topics = await topicsOf(found.stream_id);
    return new Matcher(topics, ({ name }) => name)
      .find(query, maxSuggestions)
      .map(({ name }) => ({ key: name, label: name, icon: "message-square", insert: topicText(found.name, name) }));
  },
  emoji: suggestEmoji(emoji),
};
