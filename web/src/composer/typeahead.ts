/** Detects what is being typed at the caret: a mention, channel, topic, emoji, language or command. Pure. */

export type TriggerKind = "person" | "channel" | "topic" | "emoji" | "language" | "command";

export interface Trigger {
  kind: TriggerKind;
  /** Start of the text to replace; it ends at the caret. */
  start: number;
  query: string;
  /** For a topic. */
  channel?: string;
  /** A silent mention, which notifies nobody: `@_`. */
  isSilent?: boolean;
}

const longest = 80;

// A word starts after whitespace or an opening character, so that an e-mail address offers nothing.
const person = /(?:^|[\s([{"'>])@(_?)\**([^\s@*][^@*\n]*|)$/;
const topic = /(?:^|[\s([{"'])#\**([^\s#*>][^#*>\n]*?)\**>([^*\n]*)$/;
const channel = /(?:^|[\s([{"'])#\**([^\s#*>][^#*>\n]*|)$/;
const emoji = /(?:^|[\s([{"'>])(:)([\p{L}\p{N}_+-]{2,})$/u;
const language = /^(?:`{3,}|~{3,}) ?([\w+#.-]*)$/;
const command = /^\/(\w*)$/;

/** More words than this are a sentence, not a name. */
const maxWords = 5;

const isName = (query: string): boolean => query.split(/\s+/).length <= maxWords;

export function findTrigger(text: string, caret: number): Trigger | undefined {
  const lineStart = text.lastIndexOf("\n", caret - 1) + 1;
  const line = text.slice(Math.max(lineStart, caret - longest), caret);
  const trigger = triggerIn(line, lineStart === 0 && line.length === caret);
  if (trigger === undefined || (trigger.kind !== "language" && isInCode(text, caret))) return undefined;
  if (trigger.kind === "language" && isInFence(text.slice(0, lineStart))) return undefined;
  return { ...trigger, start: caret - trigger.start };
}

/** With `start` relative to the caret. */
function triggerIn(line: string, isWholeText: boolean): Trigger | undefined {
  const fence = language.exec(line);
  if (fence) return { kind: "language", query: fence[1] ?? "", start: (fence[1] ?? "").length };
  const order = isWholeText ? command.exec(line) : null;
  if (order) return { kind: "command", query: order[1] ?? "", start: line.length };
  const sign = emoji.exec(line);
  if (sign) return { kind: "emoji", query: sign[2] ?? "", start: (sign[2] ?? "").length + 1 };
  const [inTopic, channelName = "", topicName = ""] = topic.exec(line) ?? [];
  if (inTopic !== undefined && isName(channelName)) {
    return {
      kind: "topic",
      channel: channelName.trim(),
      query: topicName,
      start: inTopic.length - inTopic.indexOf("#"),
    };
  }
  const [inChannel, name = ""] = channel.exec(line) ?? [];
  if (inChannel !== undefined && isName(name)) {
    return { kind: "channel", query: name, start: inChannel.length - inChannel.indexOf("#") };
  }
  const [mention, silent = "", who = ""] = person.exec(line) ?? [];
  if (mention === undefined || !isName(who)) return undefined;
  return { kind: "person", query: who, isSilent: silent !== "", start: mention.length - mention.indexOf("@") };
}

const isInFence = (before: string): boolean => {
  let open: string | undefined;
  for (const [, fence = ""] of before.matchAll(/^(`{3,}|~{3,})/gm)) {
    if (open === undefined) open = fence;
    else if (fence === open) open = undefined;
  }
  return open !== undefined;
};

function isInCode(text: string, caret: number): boolean {
  const before = text.slice(0, caret);
  if (isInFence(before)) return true;
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return (line.match(/`/g)?.length ?? 0) % 2 === 1;
}
