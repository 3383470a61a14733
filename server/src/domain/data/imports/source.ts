/**
 * What an export of another chat contains, in our words. The readers of formats (slack/, mattermost/, zulip/ …) produce
 * these records, and run/ stores them, wherever they come from.
 *
 * Everything is streamed: an export may hold millions of messages, and the importing process stays below 300 MB. Records
 * can be written as JSON, because they are staged in the database between reading and storing.
 */
import type { Readable } from "node:stream";

export type SourceName = "slack" | "mattermost" | "zulip" | "rocketchat" | "skein";

/** Ids are those of the source, unique among records of one kind in one export. */
export type SourceId = string;

/**
 * One record for each e-mail address: a reader merges accounts that have the same one, and uses the id of the merged
 * person everywhere.
 */
export interface SourcePerson {
  id: SourceId;
  kind: "person" | "bot";
  /** Without one, the account becomes a stub: inactive, with an address ending in `.invalid`. */
  email?: string;
  name: string;
  role: 100 | 200 | 300 | 400 | 600;
  isActive: boolean;
  /** False if only messages mention them. */
  isListed: boolean;
  timeZone?: string;
  avatar?: SourceFile;
  status?: { text: string; emojiName?: string };
  /** Values of profile fields by the fields' names; `people` are those whom a value names. */
  profile?: readonly { field: string; value: string; people?: readonly SourceId[] }[];
  /** A bot's owner. */
  ownerId?: SourceId;
  /** Of a bot that can do nothing but send messages. */
  isIncomingWebhook?: boolean;
  /** Of a bot whose messages are forwarded to a service. It gets a new token. */
  webhook?: { name: string; url: string; interface: number };
  /** When the account was created, in seconds. */
  joinedAt?: number;
}

export interface SourceChannel {
  id: SourceId;
  name: string;
  description: string;
  isPrivate: boolean;
  isArchived: boolean;
  /** Whether newcomers are put into it. */
  isDefault: boolean;
  /** Whether newcomers cannot read what was written before. */
  hasProtectedHistory?: boolean;
  /** Whether visitors without an account can read it, where the organization lets them. */
  isWebPublic?: boolean;
  /** For how many days its messages are kept: as in the organization (null), for ever (-1), or so many. */
  retentionDays?: number | null;
  topicsPolicy?: string;
  /** The folder it is in. */
  folder?: { readonly name: string; readonly description: string };
  /** By their names in our API; where the source does not know them, those of new channels. */
  permissions?: Readonly<Record<string, SourceGroupValue>>;
  members: readonly SourceId[];
  creatorId?: SourceId;
  /** Seconds. */
  createdAt?: number;
}

/** A direct conversation, of one person (notes to self) or several. */
export interface SourceDirect {
  id: SourceId;
  members: readonly SourceId[];
}

export interface SourceEmoji {
  /** Where several may have had the same name. */
  id?: SourceId;
  name: string;
  image: SourceFile;
  /** It is no longer offered, and shown only where it was used. */
  isDeactivated?: boolean;
  authorId?: SourceId;
  /** Seconds. */
  createdAt?: number;
}

/** A file of the archive, or one that is missing in it. */
export interface SourceFile {
  /** Its name in the archive; undefined if it is not there. Of a file that can be fetched: its address without a token. */
  entry?: string;
  /** Where it can be fetched: whoever has this address has access. */
  url?: string;
  name: string;
  /** Where it was, without any token; shown when the file is not in the archive. */
  permalink?: string;
  type?: string;
  size?: number;
  /** Whoever uploaded it, where the source knows; otherwise it belongs to whoever sent it first. */
  ownerId?: SourceId;
  /** Seconds. */
  createdAt?: number;
}

/** Whether the file is fetched, not read from the archive. */
export const isFetched = ({ entry = "" }: SourceFile): boolean =>
  entry.startsWith("https://") || entry.startsWith("http://");

/** Text in our Markdown, with references to what gets its name or id only here. */
export type SourceText = readonly (string | SourceReference)[];

export type SourceReference =
  /** A mention, silent unless the source knows our mentions and this one was loud there. It notifies nobody. */
  | { kind: "person"; id: SourceId; isLoud?: true }
  | { kind: "channel"; id: SourceId }
  /** The number of the channel, in a URL. */
  | { kind: "channelNumber"; id: SourceId }
  /**
   * A link to a message. `text` is what it shows, ready for use between brackets; `original` is Markdown for the case that
   * the message is not imported.
   */
  | { kind: "message"; id: SourceId; text?: string; original: string }
  /** A link to a file. `text` is what it shows, ready for use between brackets; without one, it shows the file's name. */
  | { kind: "file"; file: SourceFile; text?: string };

export interface SourceMessage {
  id: SourceId;
  /** In a channel or in a direct conversation. */
  channelId?: SourceId;
  directId?: SourceId;
  senderId: SourceId;
  /** Microseconds since 1970: the order of messages. */
  at: number;
  editedAt?: number;
  text: SourceText;
  /** Where a source has threads: the root's id; a root names itself only if the source says that it has replies. */
  threadId?: SourceId;
  /** When that thread began, in microseconds: where the line for a missing root belongs. */
  threadAt?: number;
  /** A reply that was also sent to the channel. */
  isBroadcast?: boolean;
  /**
   * Of every channel message with a `threadId`: the name of the thread's topic by the rules for names, without suffixes,
   * as if this message were the root. The root's counts; without a root, that of the oldest reply.
   */
  threadName?: string;
  /** Where a source has topics of its own. */
  topic?: string;
  /** By names that our server knows, without skin tones, each person once for each emoji. */
  reactions?: readonly SourceReaction[];
  starredBy?: readonly SourceId[];
  /** Where a source says who has read what; absent: everybody has read it. */
  unreadBy?: readonly SourceId[];
  /** Where a source says who received a message: nobody else did. `starredBy` and `unreadBy` say more of them. */
  receivedBy?: readonly SourceId[];
  /** Where a source says who was mentioned; nobody is notified. */
  mentioned?: readonly SourceId[];
  /** Those who were mentioned with everybody in the topic. */
  topicMentioned?: readonly SourceId[];
  /** Those for whom it contains an alert word. */
  alerted?: readonly SourceId[];
  collapsedBy?: readonly SourceId[];
  /** The program that it was sent with. */
  client?: string;
  /** Earlier versions, from the oldest to the newest. */
  edits?: readonly SourceEdit[];
  /** Of a poll or a to-do list: its data and what people did with it, in order. */
  submessages?: readonly { senderId: SourceId; type: string; content: string }[];
}

/** One change of a message. What is absent did not change. */
export interface SourceEdit {
  personId?: SourceId;
  /** Microseconds since 1970. */
  at: number;
  previousText?: SourceText;
  previousTopic?: string;
  topic?: string;
  previousChannelId?: SourceId;
  channelId?: SourceId;
}

/** The sender of notices in a source that has our Notification Bot: ours sends them here. */
export const notificationBotId: SourceId = "notification-bot";

export interface SourceGroup {
  id: SourceId;
  name: string;
  description: string;
  isActive: boolean;
  members: readonly SourceId[];
  /** Also groups of roles, by names such as `role:members`. */
  subgroups: readonly SourceId[];
  /** By their names in our API; where the source does not know them, those of new groups. */
  permissions?: Readonly<Record<string, SourceGroupValue>>;
  creatorId?: SourceId;
  /** Seconds. */
  createdAt?: number;
}

/** How a person sees a channel. Null: as in their personal settings. */
export interface SourceSubscription {
  personId: SourceId;
  channelId: SourceId;
  /** Such as `#4c9f70`. */
  color: string;
  isMuted: boolean;
  isPinned: boolean;
  desktop: boolean | null;
  audible: boolean | null;
  push: boolean | null;
  email: boolean | null;
  wildcardMentions: boolean | null;
}

/** The value of a permission: people, and groups by their ids or, for the groups of roles, by names such as `role:members`. */
export interface SourceGroupValue {
  members: readonly SourceId[];
  groups: readonly SourceId[];
}

/** The organization itself, by the names that its settings have in our API. */
export interface SourceOrganization {
  /** As `PATCH /realm` takes them, except those below. */
  settings: Readonly<Record<string, unknown>>;
  /** Settings that name a channel. */
  channels: Readonly<Record<string, SourceId | undefined>>;
  permissions: Readonly<Record<string, SourceGroupValue>>;
  /** What differs from the built-in settings of new accounts. */
  userDefaults: Readonly<Record<string, unknown>>;
  pictures: Readonly<Partial<Record<"icon" | "logo" | "night_logo", SourceFile>>>;
  /** Domains of e-mail addresses that people may join with. */
  domains: readonly { domain: string; withSubdomains: boolean }[];
}

export interface SourceProfileField {
  name: string;
  /** As in our API. */
  type: number;
  hint: string;
  /** JSON, or empty. */
  data: string;
  isInSummary?: boolean;
  isRequired?: boolean;
  /** Whether only administrators give it values. */
  isLocked?: boolean;
  /** Whether clients find people by it, if it is of a type for that. */
  isForMatching?: boolean;
}

export interface SourceScheduledMessage {
  id: SourceId;
  senderId: SourceId;
  channelId?: SourceId;
  directId?: SourceId;
  topic?: string;
  text: SourceText;
  /** Microseconds since 1970. */
  at: number;
  /** It could not be sent when it was due, and waits for its sender to choose another time. */
  hasFailed?: boolean;
}

/** A message that somebody has begun to write. Without a channel and people, it has no address yet. */
export interface SourceDraft {
  id: SourceId;
  personId: SourceId;
  channelId?: SourceId;
  topic?: string;
  people?: readonly SourceId[];
  text: SourceText;
  /** Microseconds since 1970. */
  at: number;
}

/** What a person has for themselves. */
export interface SourcePersonal {
  personId: SourceId;
  alertWords: readonly string[];
  mutedPeople: readonly SourceId[];
  /** `content` is as it was there, and identifies a snippet together with its title. */
  snippets: readonly { title: string; content: string; text: SourceText; createdAt?: number }[];
  /** Personal settings by their names in our API. */
  settings: Readonly<Record<string, string | number | boolean>>;
}

/** What only a source that is much like our server has. */
export interface SourceExtras {
  organization?: () => Promise<SourceOrganization>;
  groups: () => AsyncIterable<SourceGroup>;
  linkifiers: () => AsyncIterable<{ pattern: string; urlTemplate: string }>;
  playgrounds?: () => AsyncIterable<{ name: string; language: string; urlTemplate: string }>;
  /** Sets of channels that newcomers can choose. */
  channelSets?: () => AsyncIterable<{ name: string; description: string; channels: readonly SourceId[] }>;
  profileFields: () => AsyncIterable<SourceProfileField>;
  scheduledMessages: () => AsyncIterable<SourceScheduledMessage>;
  drafts?: () => AsyncIterable<SourceDraft>;
  /** All uploaded files that have an owner, also those that no message has. */
  files?: () => AsyncIterable<SourceFile & { entry: string; ownerId: SourceId }>;
  /** Muted (1), unmuted (2) and followed (3) topics. */
  topicVisibility: () => AsyncIterable<{ personId: SourceId; channelId: SourceId; topic: string; policy: 1 | 2 | 3 }>;
  personal: () => AsyncIterable<SourcePersonal>;
  subscriptions?: () => AsyncIterable<SourceSubscription>;
}

export interface SourceReaction {
  emojiName: string;
  /** Where emoji have ids: that of a custom one, or null for a built-in one. */
  emojiId?: SourceId | null;
  people: readonly SourceId[];
}

export interface SourceReadState {
  personId: SourceId;
  /**
   * What the person has not read: later messages of this channel, direct conversation, or thread, except their own. For the
   * messages of a thread, its state counts, and the channel's does not.
   */
  channelId?: SourceId;
  directId?: SourceId;
  threadId?: SourceId;
  /** Microseconds since 1970. */
  readUntil: number;
}

/**
 * Reasons for leaving something out, counted in the report together with a few source ids each. run/ counts what it finds
 * itself: links to messages that are not imported, files and avatars that have an `entry` which `readFile` does not find,
 * and reactions with an emoji or a person it does not know. Everything else is counted by the reader.
 */
export type SkipReason =
  | "system_message"
  | "encrypted_message"
  | "deleted_message"
  | "bad_timestamp"
  | "bad_message"
  | "broken_file"
  | "unknown_channel"
  | "reaction_duplicate"
  | "reaction_unknown_emoji"
  | "reaction_unknown_user"
  | "file_not_in_archive"
  | "file_deleted"
  | "file_link_expired"
  | "file_too_large"
  | "file_unreachable"
  | "avatar_not_in_archive"
  | "permalink_unresolved"
  | "pin";

export type NoteSkipped = (reason: SkipReason, sourceId: SourceId) => void;

/**
 * An opened export. Each of its lists can be read any number of times, and starts anew each time. What is left out is
 * noted while a list is read for the first time, and only then.
 */
export interface Source {
  readonly name: SourceName;
  /** What the organization is called there. */
  readonly organization?: string;
  /** Identifies the organization, if ids mean something only within it. */
  readonly origin?: string;
  people: () => AsyncIterable<SourcePerson>;
  channels: () => AsyncIterable<SourceChannel>;
  directs: () => AsyncIterable<SourceDirect>;
  emoji: () => AsyncIterable<SourceEmoji>;
  /** In any order; people who are only in messages come with the first of them. */
  messages: () => AsyncIterable<SourceMessage | { stub: SourcePerson }>;
  readStates: () => AsyncIterable<SourceReadState>;
  followers: () => AsyncIterable<{ personId: SourceId; threadId: SourceId }>;
  readonly extras?: SourceExtras;
  readFile: (file: SourceFile) => Promise<Readable | undefined>;
  close: () => Promise<void>;
}

/** The export cannot be imported at all: the message says why. */
export class ArchiveRefused extends Error {}

export interface OpenOptions {
  noteSkipped: NoteSkipped;
  /** Names of custom emoji that the organization already has: reactions may use them. */
  customEmoji?: ReadonlySet<string>;
  /** Files that are not in the archive are fetched, if their address is one of these. */
  canFetch?: (url: string) => boolean;
}

export type OpenSource = (path: string, options: OpenOptions) => Promise<Source>;
