/** Mentions of users, of everybody in the channel or topic, and of groups. Silent mentions notify nobody. */
import type { MentionableGroup, MentionableUser } from "../context.ts";
import { withoutMarks } from "../marks.ts";
import { groupMentionsIn, type Starred, toUserReference, userMentionsIn } from "../references.ts";
import type { ResolvableReferences } from "../resolve.ts";
import { type Element, finalElement } from "../tree.ts";
import { type InlineRendering, referencePass } from "./pattern.ts";

const channelWildcards: ReadonlySet<string> = new Set(["all", "everyone", "stream", "channel"]);
const topicWildcard = "topic";

const systemGroupNames: ReadonlyMap<string, string> = new Map([
  ["role:owners", "Owners"],
  ["role:administrators", "Administrators"],
  ["role:moderators", "Moderators"],
  ["role:fullmembers", "Full members"],
  ["role:members", "Members"],
  ["role:everyone", "Everyone"],
  ["role:internet", "Everyone on the internet"],
  ["role:nobody", "Nobody"],
]);

function mention(className: string, name: string, isSilent: boolean, attributes?: Record<string, string>): Element {
  // A name that was looked up by id may contain anything.
  const shown = withoutMarks(isSilent ? name : `@${name}`);
  return finalElement("span", shown, { class: isSilent ? `${className} silent` : className, ...attributes });
}

function findUser(content: string, { usersById, usersByName }: ResolvableReferences): MentionableUser | undefined {
  const { name, id } = toUserReference(content);
  if (id === undefined) return usersByName.get(content.toLowerCase());
  const user = usersById.get(id);
  return name === undefined || user?.full_name === name ? user : undefined;
}

function toUserMention({ content, isSilent }: Starred, { effects, references }: InlineRendering): Element | undefined {
  if (channelWildcards.has(content)) {
    if (!isSilent) effects.mentionsChannel = true;
    return mention("user-mention channel-wildcard-mention", content, isSilent, { "data-user-id": "*" });
  }
  if (content === topicWildcard) {
    if (!isSilent) effects.mentionsTopic = true;
    return mention("topic-mention", content, isSilent);
  }
  const user = findUser(content, references);
  if (user === undefined) return undefined;
  const isQuiet = isSilent || user.is_active === false;
  if (!isQuiet) effects.mentionedUserIds.add(user.user_id);
  return mention("user-mention", user.full_name, isQuiet, { "data-user-id": String(user.user_id) });
}

const shownGroupName = ({ name, is_system_group }: MentionableGroup): string =>
  (is_system_group === true ? systemGroupNames.get(name) : undefined) ?? name;

function toGroupMention({ content, isSilent }: Starred, { effects, references }: InlineRendering): Element | undefined {
  const group = references.groups.get(content);
  if (group === undefined) return undefined;
  const isQuiet = isSilent || group.deactivated === true;
  if (!isQuiet) effects.mentionedGroupIds.add(group.id);
  return mention("user-group-mention", shownGroupName(group), isQuiet, { "data-user-group-id": String(group.id) });
}

export const userMentions = referencePass(userMentionsIn, toUserMention);
export const groupMentions = referencePass(groupMentionsIn, toGroupMention);
