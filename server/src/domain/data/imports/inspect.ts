/** Counts what an export contains, without writing anything. */
import type { NoteSkipped, SkipReason, Source, SourceFile } from "./source.ts";

export interface Inspection {
  source: string;
  organization?: string;
  people: { total: number; with_address: number; inactive: number; bots: number; only_in_messages: number };
  channels: { public: number; private: number; archived: number };
  direct_conversations: number;
  messages: { total: number; in_channels: number; direct: number; replies: number };
  threads: number;
  first_message: string | null;
  last_message: string | null;
  reactions: number;
  emoji: number;
  /** Some that are missing can be fetched, with the token of an export of Slack. */
  files: { in_archive: number; missing: number; fetchable: number; bytes: number };
  skipped: Partial<Record<SkipReason, number>>;
  /** What some threads would be called. */
  sample_topics: string[];
}

const maxSamples = 20;

export async function inspect(open: (noteSkipped: NoteSkipped) => Promise<Source>): Promise<Inspection> {
  const skipped: Inspection["skipped"] = {};
  const source = await open((reason) => (skipped[reason] = (skipped[reason] ?? 0) + 1));
  try {
    const found = emptyInspection(source);
    found.skipped = skipped;
    await inspectLists(source, found);
    await inspectMessages(source, found);
    return found;
  } finally {
    await source.close();
  }
}

const emptyInspection = ({ name, organization }: Source): Inspection => ({
  source: name,
  ...(organization === undefined ? {} : { organization }),
  people: { total: 0, with_address: 0, inactive: 0, bots: 0, only_in_messages: 0 },
  channels: { public: 0, private: 0, archived: 0 },
  direct_conversations: 0,
  messages: { total: 0, in_channels: 0, direct: 0, replies: 0 },
  threads: 0,
  first_message: null,
  last_message: null,
  reactions: 0,
  emoji: 0,
  files: { in_archive: 0, missing: 0, fetchable: 0, bytes: 0 },
  skipped: {},
  sample_topics: [],
});

async function inspectLists(source: Source, found: Inspection): Promise<void> {
  for await (const { kind, email, isActive } of source.people()) {
    found.people.total++;
    if (kind === "bot") found.people.bots++;
    if (email !== undefined) found.people.with_address++;
    if (!isActive) found.people.inactive++;
  }
  for await (const { isPrivate, isArchived } of source.channels()) {
    found.channels[isPrivate ? "private" : "public"]++;
    if (isArchived) found.channels.archived++;
  }
  for await (const _ of source.directs()) found.direct_conversations++;
  for await (const _ of source.emoji()) found.emoji++;
}

async function inspectMessages(source: Source, found: Inspection): Promise<void> {
  /** Names of the first threads; the others are only counted. */
  const samples = new Map<string, string>();
  const threads = new Set<string>();
  let [first, last] = [Infinity, -Infinity];
  for await (const message of source.messages()) {
    if ("stub" in message) {
      found.people.only_in_messages++;
      continue;
    }
    const { id, channelId, threadId, threadName, at, text, reactions = [] } = message;
    found.messages.total++;
    found.messages[channelId === undefined ? "direct" : "in_channels"]++;
    [first, last] = [Math.min(first, at), Math.max(last, at)];
    for (const { people } of reactions) found.reactions += people.length;
    for (const piece of text) if (typeof piece !== "string" && piece.kind === "file") countFile(found, piece.file);
    if (channelId === undefined || threadId === undefined) continue;
    threads.add(threadId);
    if (threadId !== id) found.messages.replies++;
    if (threadName !== undefined && (threadId === id || !samples.has(threadId)) && samples.size < maxSamples)
      samples.set(threadId, threadName);
  }
  found.threads = threads.size;
  found.sample_topics = [...samples.values()];
  if (first <= last) {
    found.first_message = new Date(first / 1000).toISOString();
    found.last_message = new Date(last / 1000).toISOString();
  }
}

function countFile({ files, skipped }: Inspection, { entry, url, size = 0 }: SourceFile): void {
  if (entry === undefined) files.missing++;
  else if (url !== undefined) {
    files.missing++;
    files.fetchable++;
    skipped.file_not_in_archive = (skipped.file_not_in_archive ?? 0) + 1;
  } else {
    files.in_archive++;
    files.bytes += size;
  }
}
