import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  directKey,
  type Expected,
  expectedOf,
  type ExpectedMessage,
  hasImportKit,
  type Imported,
  importByModel,
  makeSamples,
  refusedSamples,
  topicKey,
} from "../../../../test/import-kit.ts";
import { codeToName } from "../../../markdown/emoji.ts";
import { renderMarkdown } from "../../../markdown/render.ts";

const samples: Record<string, string> = {
  slack: "slack.zip",
  "slack-with-files": "slack-with-files.zip",
  mattermost: "mattermost.zip",
  zulip: "zulip.tar.gz",
  rocketchat: "rocketchat",
  "hostile-broken-day": "hostile/broken-day.zip",
  "hostile-bad-timestamp": "hostile/bad-timestamp.zip",
  "hostile-odd": "hostile/odd.zip",
};

let folder = "";
beforeAll(() => {
  if (hasImportKit) folder = makeSamples();
});

const linesOf = (imported: Imported): { topics: object; direct: object } => ({
  topics: Object.fromEntries([...imported.topics].map(([key, lines]) => [key, lines.map(toLine)])),
  direct: Object.fromEntries([...imported.directs].map(([key, lines]) => [key, lines.map(toLine)])),
});
const toLine = ({ sender, at }: { sender: string; at: number }): string => `${sender} ${Math.floor(at / 1_000_000)}`;

const expectedLines = ({ topics, direct }: Expected): { topics: object; direct: object } => ({
  topics: Object.fromEntries(topics.map((topic) => [topicKey(topic.channel, topic.topic), pairs(topic)])),
  direct: Object.fromEntries(direct.map((each) => [directKey(each.people), pairs(each)])),
});
const pairs = ({ senders, timestamps }: { senders: string[]; timestamps: number[] }): string[] =>
  senders.map((sender, index) => `${sender} ${timestamps[index]}`);

describe.skipIf(!hasImportKit).each(Object.entries(samples))("the sample %s", (sample, file) => {
  let imported: Imported;
  const expected = hasImportKit ? expectedOf(sample) : undefined;
  beforeAll(async () => {
    imported = await importByModel(join(folder, file));
  });

  test("gives the topics and direct conversations of the kit", () => {
    expect(linesOf(imported)).toEqual(expectedLines(expected!));
  });

  test("gives the numbers of the kit", () => {
    expect(imported.report.imported).toMatchObject(expected!.report.imported);
    expect(imported.report.skipped).toEqual(expected!.report.skipped);
  });

  // Of Zulip's texts nothing can be said before ids and names are known: kit.test.ts asks the server.
  test.skipIf(sample === "zulip")("says in messages what the kit wants", () => {
    const problems = expected!.messages.flatMap((message) => problemsOf(message, imported));
    expect(problems).toEqual([]);
  });
});

function problemsOf(wanted: ExpectedMessage, imported: Imported): string[] {
  const { channel = "", topic = "", people, index } = wanted;
  const lines = people ? imported.directs.get(directKey(people)) : imported.topics.get(topicKey(channel, topic));
  const message = lines?.[index]?.message;
  if (message === undefined) return []; // a line of the importer's own
  const text = imported.textOf(message);
  const { html } = renderMarkdown(text);
  const problems: string[] = [];
  const check = (holds: boolean, what: string): void => {
    if (!holds) problems.push(`${wanted.name ?? index}: ${what}\n${text}\n${html}`);
  };
  for (const part of wanted.has ?? []) check(text.includes(part), `text has ${part}`);
  for (const part of wanted.hasNot ?? [])
    // A link to a message is written when that message has its id.
    if (!message.text.some((each) => typeof each === "object" && each.kind === "message"))
      check(!text.includes(part), `text has no ${part}`);
  for (const part of wanted.html ?? []) check(html.includes(part), `HTML has ${part}`);
  for (const part of wanted.htmlNot ?? []) check(!html.includes(part), `HTML has no ${part}`);
  if (wanted.exact !== undefined) check(text === wanted.exact, `is ${wanted.exact}`);
  if (wanted.edited !== undefined)
    check(Math.floor((message.editedAt ?? 0) / 1_000_000) === wanted.edited, `edited at ${wanted.edited}`);
  if (wanted.reactions !== undefined)
    for (const { code = "", custom, users } of wanted.reactions) {
      const found = message.reactions?.find(({ emojiName }) => emojiName === (custom ?? codeToName.get(code)));
      check(found?.people.length === users.length, `${users.length} reactions ${custom ?? code}`);
    }
  return problems;
}

/** Opens an archive in a process of its own, with as much memory as a small machine has. */
function openAlone(path: string): { status: number | null; stderr: string; peakMiB: number } {
  const open = new URL("open.ts", import.meta.url).href;
  const program = `
    import { openSource } from ${JSON.stringify(open)};
    try {
      await openSource(${JSON.stringify(path)}, { noteSkipped() {} });
    } catch (error) {
      process.stderr.write(error.constructor.name + ": " + error.message);
      process.exitCode = 1;
    }
    process.stdout.write(String(process.resourceUsage().maxRSS / 1024));`;
  const { status, stderr, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    encoding: "utf8",
    timeout: 60_000,
  });
  return { status, stderr, peakMiB: Number(stdout) };
}

const refused = hasImportKit ? refusedSamples() : [];

test.skipIf(!hasImportKit).for(refused)("$file is refused: $why", { concurrent: false }, ({ file }) => {
  const { status, stderr, peakMiB } = openAlone(join(folder, "hostile", file));

  expect(stderr).toMatch(/^ArchiveRefused: .{20}/);
  expect(status).toBe(1);
  expect(peakMiB).toBeLessThan(256);
});
