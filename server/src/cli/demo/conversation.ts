/** All messages of the story with their times. */
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Calendar } from "./calendar.ts";
import { Random, Deck } from "./random.ts";
import { dailyConversations } from "./daily.ts";
import { readScripts, type Moved, type Place, type Reaction, type Script, type ScriptLine } from "./script.ts";
import { channels, membersOf } from "./story/channels.ts";
import { bots } from "./story/people.ts";
import { replies } from "./story/replies.ts";

export interface Line extends Omit<ScriptLine, "when"> {
  at: Date;
}

export interface Conversation {
  place: Place;
  lines: Line[];
  resolvedBy: string | undefined;
  moved: Moved | undefined;
}

const seed = 20_240_519;
const story = join(import.meta.dirname, "story");

export async function listConversations(calendar: Calendar): Promise<Conversation[]> {
  const random = new Random(seed);
  const long = (await readFolder("long")).map((script) => played(calendar, random, script));
  const short = (await readFolder("short")).map(withReplies(random)).map((script) => played(calendar, random, script));
  const direct = readScripts(await readFile(join(story, "direct.txt"), "utf8")).map((script) =>
    played(calendar, random, script),
  );
  const daily = dailyConversations(calendar, random);
  for (const conversation of [...short, ...daily]) sprinkleReactions(random, conversation);
  return [...long, ...short, ...daily, ...direct];
}

async function readFolder(name: string): Promise<Script[]> {
  const folder = join(story, name);
  const files = (await readdir(folder)).toSorted();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return texts.flatMap(readScripts);
}

/** Ends short conversations with generic closing lines. */
function withReplies(random: Random): (script: Script) => Script {
  const decks = new Map(Object.entries(replies).map(([channel, lines]) => [channel, new Deck(random, lines)]));
  return (script) => {
    if (!("channel" in script.place)) return script;
    const deck = decks.get(script.place.channel);
    const speakers = new Set(script.lines.map((line) => line.by));
    const others = random.shuffle(
      audience(script.place.channel).filter((key) => !speakers.has(key) && key !== "olive"),
    );
    const closing = others.slice(0, random.between(2, 3)).flatMap((by) => (deck ? [said(by, deck.deal())] : []));
    return { ...script, lines: [...script.lines, ...closing] };
  };
}

/** The subscribers who can reply: all but bots. */
const audience = (channel: string): string[] => {
  const declared = channels[channel];
  return declared ? membersOf(declared).filter((key) => !(key in bots)) : [];
};

const said = (by: string, text: string): ScriptLine => ({
  by,
  when: undefined,
  text,
  reactions: [],
  votes: [],
  textBefore: undefined,
  isStarred: false,
});

/** A script without a time takes place on one of the first nine days. */
function played(calendar: Calendar, random: Random, { place, at, resolvedBy, moved, lines }: Script): Conversation {
  const begin = at ?? { day: random.between(1, 9), hour: random.between(7, 16), minute: random.between(0, 59) };
  let time = calendar.at(begin);
  const timed = lines.map(({ when, ...line }, index): Line => {
    if (when && "moment" in when) time = calendar.at(when.moment);
    else if (when) time = calendar.later(time, when.afterMinutes);
    else if (index > 0) time = calendar.later(time, time > calendar.ownerLeft ? 2 : random.between(1, 11));
    // No two messages have the same time, and none is sent on the full minute.
    time = new Date(time.getTime() + random.between(1, 40) * 1000);
    return { ...line, at: time };
  });
  return { place, lines: timed, resolvedBy, moved };
}

const usual = ["+1", "heart", "tada", "eyes", "thank_you", "check", "seedling", "100", "raised_hands", "rocket"];

function sprinkleReactions(random: Random, { place, lines }: Conversation): void {
  if (!("channel" in place)) return;
  const people = audience(place.channel);
  for (const line of lines) {
    if (!random.is(0.3)) continue;
    const by = random
      .shuffle(people)
      .filter((key) => key !== line.by)
      .slice(0, random.between(1, 4));
    const reaction: Reaction = { emoji: random.pick(usual), by };
    line.reactions.push(reaction);
  }
}
