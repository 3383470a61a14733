/** Messages of every working day: a stand-up in the morning, and builds throughout the day. */
import type { Calendar } from "./calendar.ts";
import { Deck, type Random } from "./random.ts";
import type { Conversation, Line } from "./conversation.ts";
import { commits, failures, greetings, obstacles, standupTeam, tasks } from "./story/routine.ts";

const workingDays = Array.from({ length: 10 }, (_, index) => index + 1);

export function dailyConversations(calendar: Calendar, random: Random): Conversation[] {
  return [...standups(calendar, random), builds(calendar, random), nightlyTests(calendar, random)];
}

const plain = (by: string, at: Date, text: string): Line => ({
  by,
  at,
  text,
  reactions: [],
  votes: [],
  textBefore: undefined,
  isStarred: false,
});

const inChannel = (channel: string, topic: string, lines: Line[]): Conversation => ({
  place: { channel, topic },
  lines,
  resolvedBy: undefined,
  moved: undefined,
});

function standups(calendar: Calendar, random: Random): Conversation[] {
  const greeting = new Deck(random, greetings);
  const task = new Deck(random, tasks);
  const obstacle = new Deck(random, obstacles);
  return workingDays.map((day) => {
    let at = calendar.at({ day, hour: 8, minute: 0 });
    const date = at.toLocaleDateString("en-GB", { day: "numeric", month: "long", timeZone: "UTC" });
    const lines = [plain("standup", at, greeting.deal())];
    for (const by of random.shuffle(standupTeam).slice(0, random.between(6, 8))) {
      at = new Date(at.getTime() + random.between(60, 500) * 1000);
      const stuck = random.is(0.2) ? `\n- **Stuck:** ${obstacle.deal()}` : "";
      lines.push(plain(by, at, `- **Done:** ${task.deal()}\n- **Next:** ${task.deal()}${stuck}`));
    }
    return inChannel("engineering", `Stand-up, ${date}`, lines);
  });
}

function builds(calendar: Calendar, random: Random): Conversation {
  const commit = new Deck(random, commits);
  let number = 8810;
  const lines = workingDays.flatMap((day) =>
    Array.from({ length: random.between(6, 8) }, (_, index) => {
      const at = calendar.at({ day, hour: 8 + index, minute: random.between(5, 50) });
      const outcome = random.is(0.12) ? `:cross_mark: failed\n> ${random.pick(failures)}` : ":check: passed";
      const time = `${random.between(5, 8)} min ${random.between(10, 59)} s`;
      return plain("builds", at, `**#${number++}** \`${hash(random)}\` ${commit.deal()} · ${time} · ${outcome}`);
    }),
  );
  return inChannel("engineering", "Builds of main", lines);
}

function nightlyTests(calendar: Calendar, random: Random): Conversation {
  const lines = workingDays.map((day) => {
    const at = calendar.at({ day, hour: 3, minute: random.between(20, 40) });
    const flaky = random.between(0, 3);
    const table = [
      "| Suite | Passed | Failed | Again |",
      "|:--|--:|--:|--:|",
      `| unit | ${4100 + day * 7} | 0 | 0 |`,
      `| browser | ${612 + day} | ${random.is(0.1) ? 1 : 0} | ${flaky} |`,
      `| phones | ${288 + (day % 4)} | 0 | ${random.between(0, 2)} |`,
    ];
    return plain("builds", at, `Nightly tests, ${random.between(51, 58)} min\n\n${table.join("\n")}`);
  });
  return inChannel("infrastructure", "Nightly tests", lines);
}

const hash = (random: Random): string => Array.from({ length: 7 }, () => random.between(0, 15).toString(16)).join("");
