/** What the store offers while one types: people, groups, channels, topics. */
import { computed } from "@preact/signals";
import { Matcher } from "../composer/matching.ts";
import {
  channelBeforeTopicText,
  channelText,
  groupMentionText,
  mentionText,
  mostSuggestions,
  topicText,
  type Suggestion,
  type TypeaheadSources,
} from "../composer/sources.ts";
import { suggestEmoji } from "../emoji/suggest.ts";
import { channelsById, findChannelByName } from "../store/channels.ts";
import { emoji } from "../store/emoji.ts";
import { activePeople, type Person } from "../store/people.ts";
import { part } from "../store/state.ts";
import { topicsOf } from "../store/topics.ts";
import { t } from "../text/t.ts";

interface Group {
  id: number;
  name: string;
  description: string;
}

/** Everybody at once, by the words the server knows. */
const wildcards = ["all", "everyone", "channel", "topic"] as const;

type Mentionable = { person: Person } | { group: Group } | { wildcard: (typeof wildcards)[number] };

const mentionables = computed(() => {
  const groups = (part("realm_user_groups").value ?? []).filter(
    (group) => !group.deactivated && !group.is_system_group,
  );
  const all: Mentionable[] = [
    ...activePeople.value.map((person) => ({ person })),
    ...groups.map((group) => ({ group })),
    ...wildcards.map((wildcard) => ({ wildcard })),
  ];
  return new Matcher(all, (each) => {
    if ("person" in each) return `${each.person.full_name}\n${each.person.delivery_email ?? ""}`;
    return "group" in each ? each.group.name : each.wildcard;
  });
});

const channels = computed(
  () =>
    new Matcher(
      [...channelsById.value.values()].filter((each) => !each.is_archived),
      (channel) => channel.name,
    ),
);

const sharedNames = computed(() => {
  const counts = new Map<string, number>();
  for (const { full_name } of activePeople.value) counts.set(full_name, (counts.get(full_name) ?? 0) + 1);
  return counts;
});

/** Two people of one name are told apart by their ids. */
const nameToWrite = ({ full_name, user_id }: Person): string =>
  (sharedNames.value.get(full_name) ?? 0) > 1 ? `${full_name}|${user_id}` : full_name;

function mention(each: Mentionable, isSilent: boolean | undefined): Suggestion {
  if ("person" in each) {
    const { person } = each;
    return {
      key: `person ${person.user_id}`,
      label: person.full_name,
      detail: person.delivery_email ?? "",
      icon: person.is_bot ? "bot" : "user",
      insert: mentionText(nameToWrite(person), isSilent),
    };
  }
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

const weightOf = (each: Mentionable): number => ("person" in each ? Number(!each.person.is_bot) + 1 : 0);

export const typeaheadSources: TypeaheadSources = {
  person: ({ query, isSilent }) =>
    mentionables.value.find(query, mostSuggestions, weightOf).map((each) => mention(each, isSilent)),
  channel: ({ query }) =>
    channels.value
      .find(query, mostSuggestions, (channel) => Number(channel.isSubscribed))
      .map(({ stream_id, name, description, invite_only }) => ({
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
      .find(query, mostSuggestions)
      .map(({ name }) => ({ key: name, label: name, icon: "message-square", insert: topicText(found.name, name) }));
  },
  emoji: suggestEmoji(emoji),
};
