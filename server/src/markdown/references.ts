/**
 * Finds what a raw text may refer to before it is rendered, so that the caller can fetch it. Only references found here
 * resolve later: text that becomes a mention through markup around it (a quote without a space, a table's pipe) does not.
 */
import { mayStartReference } from "./characters.ts";

export interface UserReference {
  /** Compared case-insensitively; absent in `@**|id**`. */
  name: string | undefined;
  id: number | undefined;
}

export interface References {
  users: UserReference[];
  groupNames: string[];
  channelNames: string[];
  /** Topics of these channels, to look up the newest visible message of each. */
  topics: { channelName: string; topic: string }[];
}

/** A piece of text between stars. */
export interface Starred {
  start: number;
  end: number;
  isSilent: boolean;
  content: string;
}

/**
 * Finds `@**x**`, `@*x*` or `#**x**` (depending on `sign` and `stars`), from `from` on. The content is not empty and
 * has no star in it.
 */
function findStarred(text: string, sign: "@" | "#", stars: "*" | "**", from: number): Starred | undefined {
  for (let start = text.indexOf(sign, from); start !== -1; start = text.indexOf(sign, start + 1)) {
    if (!mayStartReference(text, start)) continue;
    const isSilent = sign === "@" && text[start + 1] === "_";
    const opening = start + (isSilent ? 2 : 1);
    const contentStart = opening + stars.length;
    if (!text.startsWith(stars, opening)) continue;
    const contentEnd = text.indexOf("*", contentStart);
    if (contentEnd === -1) return undefined;
    if (contentEnd === contentStart || !text.startsWith(stars, contentEnd)) continue;
    return { start, end: contentEnd + stars.length, isSilent, content: text.slice(contentStart, contentEnd) };
  }
  return undefined;
}

function* starredIn(text: string, sign: "@" | "#", stars: "*" | "**"): Generator<Starred> {
  let found = findStarred(text, sign, stars, 0);
  while (found !== undefined) {
    yield found;
    found = findStarred(text, sign, stars, found.end);
  }
}

export const userMentionsIn = (text: string): Iterable<Starred> => starredIn(text, "@", "**");
export const groupMentionsIn = (text: string): Iterable<Starred> => starredIn(text, "@", "*");

export interface ChannelReference extends Starred {
  channelName: string;
  topic: string;
  /** Digits as they were written. */
  messageId: string | undefined;
}

const messageIdAtEnd = /^([^]*)@([0-9]+)$/;

/** Parses `channel>topic` or `channel>topic@id`; `undefined` when there is no topic. */
function splitAtTopic(found: Starred): ChannelReference | undefined {
  const arrow = found.content.indexOf(">");
  if (arrow < 1) return undefined;
  const channelName = found.content.slice(0, arrow);
  const topic = found.content.slice(arrow + 1);
  const withId = messageIdAtEnd.exec(topic);
  return { ...found, channelName, topic: withId?.[1] ?? topic, messageId: withId?.[2] };
}

/** Each `#**…**` that `accept` takes. A rejected one may still contain the start of another. */
function* channelReferencesIn<T extends Starred>(
  text: string,
  accept: (found: Starred) => T | undefined,
): Generator<T> {
  let found = findStarred(text, "#", "**", 0);
  while (found !== undefined) {
    const accepted = accept(found);
    if (accepted !== undefined) yield accepted;
    found = findStarred(text, "#", "**", accepted === undefined ? found.start + 1 : found.end);
  }
}

export const channelLinksIn = (text: string): Iterable<Starred> => channelReferencesIn(text, (found) => found);

export const messageLinksIn = (text: string): Iterable<ChannelReference> =>
  channelReferencesIn(text, (found) => {
    const reference = splitAtTopic(found);
    return reference?.messageId === undefined ? undefined : reference;
  });

/** Includes references to a message: when the message link does not resolve, the whole may still be a topic. */
export const topicLinksIn = (text: string): Iterable<ChannelReference> =>
  channelReferencesIn(text, (found) => {
    const reference = splitAtTopic(found);
    if (reference === undefined) return undefined;
    return { ...reference, topic: found.content.slice(reference.channelName.length + 1) };
  });

const nameAndId = /^([^\n]+)?\|([0-9]+)$/;

/** `Name|id` and `|id` refer to a user unambiguously. */
export function toUserReference(content: string): UserReference {
  const found = nameAndId.exec(content);
  return found === null ? { name: content, id: undefined } : { name: found[1], id: Number(found[2]) };
}

export function findReferences(text: string): References {
  const references: References = { users: [], groupNames: [], channelNames: [], topics: [] };
  if (text.includes("@*") || text.includes("@_*")) {
    for (const { content } of userMentionsIn(text)) references.users.push(toUserReference(content));
    for (const { content } of groupMentionsIn(text)) references.groupNames.push(content);
  }
  if (text.includes("#**")) {
    for (const { content } of channelLinksIn(text)) references.channelNames.push(content);
    for (const { channelName, topic } of topicLinksIn(text)) {
      references.channelNames.push(channelName);
      references.topics.push({ channelName, topic });
    }
  }
  return references;
}

/** Makes every mention on a quoted line silent: a quote does not notify anybody. */
export function silenceMentions(line: string): string {
  if (!line.includes("@*")) return line;
  let silenced = line;
  for (const mentionsIn of [userMentionsIn, groupMentionsIn]) {
    let added = 0;
    for (const { start, isSilent } of mentionsIn(silenced)) {
      if (isSilent) continue;
      const at = start + 1 + added++;
      silenced = `${silenced.slice(0, at)}_${silenced.slice(at)}`;
    }
  }
  return silenced;
}
