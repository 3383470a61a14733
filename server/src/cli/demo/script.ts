/**
 * Reads conversations written as text:
 *
 *     channel: design
 *
 *     # Empty states
 *     at: 3 10:05
 *     resolved: mei
 *     ines
 *       What she says, as Markdown, indented. @kofi is a mention, @_kofi a silent one.
 *     + heart kofi mei, tada sam
 *     kofi +40m
 *       {quote}
 *       An answer to the line before.
 *
 * The head of a line may give its time: `+40m`, `+3h`, `5 09:30` (a working day), `late 40%` (since the owner left).
 * Annotations below a line: `+` reactions, `~` its text before an edit, `=` votes (an option's number and voters),
 * `*` starred by the owner. In a file without a channel the title names the people of a direct conversation. An attribute
 * `moved: 3 from support > Old name by aisha` says where the first lines came from.
 */
import type { Moment } from "./calendar.ts";

export interface Reaction {
  emoji: string;
  by: string[];
}

export interface Vote {
  option: number;
  by: string[];
}

export type When = { moment: Moment } | { afterMinutes: number };

export interface ScriptLine {
  by: string;
  when: When | undefined;
  text: string;
  reactions: Reaction[];
  votes: Vote[];
  /** The text before the edit. */
  textBefore: string | undefined;
  isStarred: boolean;
}

export interface Moved {
  count: number;
  channel: string;
  topic: string;
  by: string;
}

export type Place = { channel: string; topic: string } | { people: string[] };

export interface Script {
  place: Place;
  at: Moment | undefined;
  resolvedBy: string | undefined;
  moved: Moved | undefined;
  lines: ScriptLine[];
}

export function readScripts(text: string): Script[] {
  const [head = "", ...parts] = text.split(/^# /m);
  const channel = /^channel: (.+)$/m.exec(head)?.[1];
  return parts.map((part) => readScript(channel, part));
}

function readScript(channel: string | undefined, part: string): Script {
  const [title = "", ...rest] = part.trimEnd().split("\n");
  const script: Script = {
    place: channel === undefined ? { people: title.split(", ") } : { channel, topic: title },
    at: undefined,
    resolvedBy: undefined,
    moved: undefined,
    lines: [],
  };
  const texts: string[][] = [];
  for (const line of rest) {
    const last = script.lines.at(-1);
    if (line.startsWith("  ") || line === "") texts.at(-1)?.push(line.slice(2));
    else if (last && /^[+~=*]/.test(line)) annotate(last, line);
    else if (!last && line.includes(": ")) setAttribute(script, line);
    else {
      script.lines.push(readHead(line));
      texts.push([]);
    }
  }
  for (const [index, line] of script.lines.entries()) line.text = (texts[index] ?? []).join("\n").trimEnd();
  return script;
}

function setAttribute(script: Script, line: string): void {
  const [, name, value = ""] = /^(\w+): (.+)$/.exec(line) ?? [];
  if (name === "at") script.at = readMoment(value);
  else if (name === "resolved") script.resolvedBy = value;
  else if (name === "moved") script.moved = readMoved(value);
  else throw new Error(`unknown attribute of a conversation: ${line}`);
}

function readMoved(text: string): Moved {
  const [, count, channel = "", topic = "", by = ""] = /^(\d+) from (.+) > (.+) by (\w+)$/.exec(text) ?? [];
  return { count: Number(count), channel, topic, by };
}

function readHead(line: string): ScriptLine {
  const [, by = "", when] = /^(\w+)(?: (.+))?$/.exec(line) ?? [];
  if (by === "") throw new Error(`this line has no sender: ${line}`);
  const spoken = { text: "", reactions: [], votes: [], textBefore: undefined, isStarred: false };
  return { by, when: when === undefined ? undefined : readWhen(when), ...spoken };
}

function readWhen(text: string): When {
  const [, amount, unit] = /^\+(\d+)([mh])$/.exec(text) ?? [];
  if (amount === undefined) return { moment: readMoment(text) };
  return { afterMinutes: Number(amount) * (unit === "h" ? 60 : 1) };
}

function readMoment(text: string): Moment {
  const [, percent] = /^late (\d+)%$/.exec(text) ?? [];
  if (percent !== undefined) return { sinceOwnerLeft: Number(percent) / 100 };
  const [, day, hour, minute] = /^(\d+) (\d+):(\d+)$/.exec(text) ?? [];
  if (day === undefined) throw new Error(`invalid time: ${text}`);
  return { day: Number(day), hour: Number(hour), minute: Number(minute) };
}

function annotate(line: ScriptLine, text: string): void {
  const value = text.slice(1).trim();
  const lists = () => value.split(", ").map((list) => list.split(" "));
  if (text.startsWith("~")) line.textBefore = value;
  else if (text.startsWith("*")) line.isStarred = true;
  else if (text.startsWith("+")) for (const [emoji = "", ...by] of lists()) line.reactions.push({ emoji, by });
  else for (const [option, ...by] of lists()) line.votes.push({ option: Number(option), by });
}
