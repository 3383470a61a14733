/** Turns texts of the export into Markdown, once everything they refer to has a name or an id. */
import { channelUrl, directUrl, topicUrl } from "../../../../markdown/narrow-url.ts";
import type { MentionableUser } from "../../../../markdown/context.ts";
import { isFetched, type NoteSkipped, type SourceFile, type SourceReference, type SourceText } from "../source.ts";

export interface LinkTarget {
  id: number;
  conversationId: number;
  /** Whether not everybody may know its topic: guests do not see every public channel. */
  isPrivate: boolean;
  channel?: { stream_id: number; name: string };
  topic?: string;
  /** Of a direct message: everybody in the conversation. */
  parties?: readonly { id: number; full_name: string }[];
}

export interface StoredUpload {
  id: number;
  name: string;
  pathId: string;
  image: { width: number; height: number; frames: number; content_type: string } | undefined;
}

/** What texts of one batch refer to. */
export interface Referred {
  people: ReadonlyMap<string, MentionableUser>;
  channels: ReadonlyMap<string, { stream_id: number; name: string }>;
  messages: ReadonlyMap<string, LinkTarget>;
  /** By the file's name in the archive. */
  files: ReadonlyMap<string, StoredUpload>;
}

/** Who wrote a text, and where. */
export interface TextPlace {
  senderId: number;
  conversationId: number;
}

export function toMarkdown(
  text: SourceText,
  referred: Referred,
  place: TextPlace,
  note: (reason: Parameters<NoteSkipped>[0]) => void,
): string {
  return text
    .map((piece) => (typeof piece === "string" ? piece : referenceToMarkdown(piece, referred, place, note)))
    .join("");
}

function referenceToMarkdown(
  reference: SourceReference,
  { people, channels, messages, files }: Referred,
  place: TextPlace,
  note: (reason: Parameters<NoteSkipped>[0]) => void,
): string {
  switch (reference.kind) {
    case "person": {
      const person = people.get(reference.id);
      const sign = reference.isLoud ? "@" : "@_";
      return person ? `${sign}**${person.full_name}|${person.user_id}**` : plain(reference.id);
    }
    case "channelNumber":
      return String(channels.get(reference.id)?.stream_id ?? plain(reference.id));
    case "channel": {
      const channel = channels.get(reference.id);
      return channel ? channelLink(channel) : plain(reference.id);
    }
    case "message": {
      const target = messages.get(reference.id);
      if (target && isHiddenFrom(target, place))
        return `[${linkText(reference.text ?? "message")}](${hiddenUrl(target)})`;
      const url = target && messageUrl(target, place.senderId);
      if (target && url !== undefined) return `[${linkText(reference.text ?? titleOf(target))}](${url})`;
      note("permalink_unresolved");
      return reference.original;
    }
    case "file": {
      const upload = reference.file.entry === undefined ? undefined : files.get(reference.file.entry);
      if (upload) return `[${reference.text ?? linkText(upload.name)}](/user_uploads/${upload.pathId})`;
      // The reader counts files that it knows to be missing, and files.ts those that it could not fetch.
      if (reference.file.entry !== undefined && !isFetched(reference.file)) note("file_not_in_archive");
      return missingFile(reference.file, reference.text);
    }
    default:
      return reference satisfies never;
  }
}

/** Names with signs of the syntax get an ordinary link. */
const channelLink = (channel: { stream_id: number; name: string }): string =>
  /[*>\\]|@\d+$/.test(channel.name)
    ? `[#${linkText(channel.name)}](${channelUrl(channel).slice(1)})`
    : `#**${channel.name}**`;

const titleOf = ({ channel, topic }: LinkTarget): string =>
  channel && topic !== undefined ? `#${channel.name} > ${topic} @ 💬` : "direct message";

/** Names of topics are made of what was written there, so they stay among those who can read it. */
const isHiddenFrom = (target: LinkTarget, { conversationId }: TextPlace): boolean =>
  target.isPrivate && target.conversationId !== conversationId;

/** Without names. */
const hiddenUrl = ({ id, channel }: LinkTarget): string =>
  channel ? `#narrow/channel/${channel.stream_id}/near/${id}` : `#narrow/is/dm/near/${id}`;

type Linkable = Pick<LinkTarget, "id" | "channel" | "topic" | "parties">;

/** Undefined if the message is in a place that cannot be linked to. */
export function messageUrl({ id, channel, topic, parties }: Linkable, readerId: number): string | undefined {
  if (channel && topic !== undefined) return `${topicUrl(channel, topic).slice(1)}/near/${id}`;
  if (!parties) return undefined;
  const others = parties.filter((party) => party.id !== readerId);
  return `${directUrl(others.length > 0 ? others : parties).slice(1)}/near/${id}`;
}

/** What stands for a file that is not there. */
export const missingFile = ({ name, permalink }: SourceFile, text = ""): string =>
  permalink === undefined
    ? linkText(text || name)
    : `[${linkText(text || name)}](${permalink.replaceAll(/[()\s<>]/g, encodeURIComponent)})`;

/** A text inside brackets, or on its own: no sign of it means anything. */
export const linkText = (text: string): string =>
  text
    .replaceAll(/\s+/g, " ")
    .replaceAll("[", "(")
    .replaceAll("]", ")")
    .replaceAll(/[*_`~\\$|]/g, (sign) => (sign === "_" ? "_" : ""))
    .replaceAll(/([@#])(?=\*|_\*)/g, "");

const plain = (id: string): string => linkText(id);
