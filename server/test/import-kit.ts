/**
 * The samples of exports that are beside the project in ../shared/import-kit, with what must come of them, and a simple
 * model of storing an export: which topics there are, who wrote what in them, what was left out.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSource } from "../src/domain/data/imports/open.ts";
import { notificationBotId } from "../src/domain/data/imports/source.ts";
import type {
  Source,
  SourceFile,
  SourceId,
  SourceMessage,
  SourceReadState,
  SourceText,
} from "../src/domain/data/imports/source.ts";
import { distinctName, isResolved, resolvedMark, talkTopic } from "../src/domain/data/imports/names/topic-name.ts";

export const kitFolder = fileURLToPath(new URL("../../../shared/import-kit/", import.meta.url));

export const hasImportKit = existsSync(kitFolder);

/** Writes all samples into a new folder, and returns its path. */
export function makeSamples(...more: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "skein-samples-"));
  execFileSync(process.execPath, [join(kitFolder, "make-samples.mjs"), folder, ...more]);
  return folder;
}

export interface ExpectedMessage {
  name?: string;
  channel?: string;
  topic?: string;
  people?: string[];
  index: number;
  has?: string[];
  hasNot?: string[];
  html?: string[];
  htmlNot?: string[];
  exact?: string;
  edited?: number;
  reactions?: { code?: string; custom?: string; users: string[] }[];
  files?: { name: string; sha256?: string; size: number }[];
}

export interface Expected {
  topics: { channel: string; topic: string; senders: string[]; timestamps: number[] }[];
  direct: { people: string[]; senders: string[]; timestamps: number[] }[];
  messages: ExpectedMessage[];
  report: { imported: Record<string, number>; skipped: Record<string, number> };
}

export const expectedOf = (sample: string): Expected =>
  JSON.parse(readFileSync(join(kitFolder, "expected", `${sample}.json`), "utf8")) as Expected; // as the kit describes it

/** The archives that must be refused. */
export const refusedSamples = (): { file: string; why: string }[] =>
  (
    JSON.parse(readFileSync(join(kitFolder, "expected/hostile-refused.json"), "utf8")) as {
      files: { file: string; why: string }[];
    }
  ).files; // as the kit describes it

const bot = "Notification Bot";

interface Line {
  sender: string;
  at: number;
  /** Lines of the importer before or after the message of the same time. */
  order: number;
  message?: SourceMessage;
}

/** What became of an export. */
export interface Imported {
  topics: Map<string, Line[]>;
  directs: Map<string, Line[]>;
  report: { imported: Record<string, number>; skipped: Record<string, number> };
  readStates: SourceReadState[];
  followers: { personId: SourceId; threadId: SourceId }[];
  textOf: (message: SourceMessage) => string;
}

export const topicKey = (channel: string, topic: string): string => `${channel}\n${topic}`;
export const directKey = (people: readonly string[]): string => people.toSorted().join("|");

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

export async function importByModel(path: string): Promise<Imported> {
  const skipped: Record<string, number> = {};
  const skip = (reason: string): void => {
    skipped[reason] = (skipped[reason] ?? 0) + 1;
  };
  const source = await openSource(path, { noteSkipped: skip });
  try {
    return await model(source, skipped, skip);
  } finally {
    await source.close();
  }
}

async function model(
  source: Source,
  skipped: Record<string, number>,
  skip: (reason: string) => void,
): Promise<Imported> {
  const people = new Map((await collect(source.people())).map((person) => [person.id, person]));
  const channels = new Map((await collect(source.channels())).map((channel) => [channel.id, channel]));
  const directs = new Map((await collect(source.directs())).map((direct) => [direct.id, direct]));
  const emoji = await collect(source.emoji());
  const messages: SourceMessage[] = [];
  for await (const item of source.messages()) {
    if ("stub" in item) people.set(item.stub.id, item.stub);
    else messages.push(item);
  }
  messages.sort((one, other) => one.at - other.at);
  const ids = new Set(messages.map(({ id }) => id));
  const nameOf = (id: SourceId): string => (id === notificationBotId ? bot : (people.get(id)?.name ?? `nobody ${id}`));

  const topics = new Map<string, Line[]>();
  const byDirect = new Map<string, Line[]>();
  const put = (map: Map<string, Line[]>, key: string, line: Line): void => {
    if (!map.has(key)) map.set(key, []);
    map.get(key)?.push(line);
  };
  let files = 0;
  let notices = 0;
  for (const { text } of messages)
    for (const part of text) {
      if (typeof part === "string") continue;
      if (part.kind === "file" && part.file.entry !== undefined) files++;
      if (part.kind === "message" && !ids.has(part.id)) skip("permalink_unresolved");
    }

  const replies = Map.groupBy(
    messages.filter(
      ({ channelId, threadId, id }) => channelId !== undefined && threadId !== undefined && threadId !== id,
    ),
    ({ threadId = "" }) => threadId,
  );
  const roots = new Map(messages.map((message) => [message.id, message]));
  const taken = new Set(
    messages.map(({ channelId = "", at, topic }) => topicKey(channelId, topic ?? talkTopic(at)).toLowerCase()),
  );
  const threadTopics = new Map<SourceId, string>();
  const rootTimes = [...replies].map(([id, [first]]) => ({ id, first, root: roots.get(id) }));
  for (const { id, first, root } of rootTimes.toSorted((one, other) => timeOf(one) - timeOf(other))) {
    const named = root ?? first;
    if (named === undefined) continue;
    const { channelId = "" } = named;
    const at = timeOf({ root, first });
    const base = distinctName(named.threadName ?? "", at, (name) => taken.has(topicKey(channelId, name).toLowerCase()));
    taken.add(topicKey(channelId, base).toLowerCase());
    const name = root && isResolved(root.senderId, root.reactions ?? []) ? resolvedMark + base : base;
    threadTopics.set(id, name);
    const channel = channels.get(channelId)?.name ?? "";
    put(topics, topicKey(channel, talkTopic(at)), { sender: bot, at, order: 1 });
    notices++;
    if (root === undefined) {
      put(topics, topicKey(channel, name), { sender: bot, at, order: -1 });
      notices++;
    }
  }
  for (const message of messages) {
    const { channelId, directId, threadId, at } = message;
    const line = { sender: nameOf(message.senderId), at, order: 0, message };
    if (channelId === undefined) {
      put(byDirect, directKey((directs.get(directId ?? "")?.members ?? []).map(nameOf)), line);
      continue;
    }
    const channel = channels.get(channelId)?.name ?? "";
    const topic = threadTopics.get(threadId ?? "") ?? message.topic ?? talkTopic(at);
    put(topics, topicKey(channel, topic), line);
    if (message.isBroadcast === true) {
      put(topics, topicKey(channel, talkTopic(at)), { sender: bot, at, order: 1 });
      notices++;
    }
  }
  for (const lines of [...topics.values(), ...byDirect.values()])
    lines.sort((one, other) => one.at - other.at || one.order - other.order);

  const everybody = [...people.values()];
  return {
    topics,
    directs: byDirect,
    readStates: await collect(source.readStates()),
    followers: await collect(source.followers()),
    textOf: ({ text }) => writeText(text, nameOf, (id) => channels.get(id)?.name ?? ""),
    report: {
      imported: {
        messages: messages.length,
        notices,
        users: everybody.filter(({ kind, isListed }) => kind === "person" && isListed).length,
        stub_users: everybody.filter(({ kind, isListed }) => kind === "person" && !isListed).length,
        bots: everybody.filter(({ kind }) => kind === "bot").length,
        channels: channels.size,
        files,
        emoji: emoji.length,
      },
      skipped,
    },
  };
}

const timeOf = ({ root, first }: { root: SourceMessage | undefined; first: SourceMessage | undefined }): number =>
  root?.at ?? first?.threadAt ?? 0;

const writeFile = (file: SourceFile): string =>
  file.entry === undefined ? `${file.name} ${file.permalink ?? ""}` : `[${file.name}](/user_uploads/${file.name})`;

function writeText(
  text: SourceText,
  personName: (id: SourceId) => string,
  channelName: (id: SourceId) => string,
): string {
  return text
    .map((part) => {
      if (typeof part === "string") return part;
      switch (part.kind) {
        case "person":
          return `@${part.isLoud === true ? "" : "_"}**${personName(part.id)}**`;
        case "channelNumber":
          return part.id;
        case "channel":
          return `#**${channelName(part.id)}**`;
        case "message":
          return part.original;
        case "file":
          return writeFile(part.file);
      }
    })
    .join("");
}
