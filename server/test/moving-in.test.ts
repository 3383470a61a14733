/** Runs the commands of the pages about imports, with the samples that are beside the project. */
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { Commands } from "./commands.ts";
import { hasImportKit, makeSamples } from "./import-kit.ts";
import { newRealm } from "./realm.ts";
import { stepsOf } from "./shell-page.ts";

const docs = join(import.meta.dirname, "../../docs/moving-in");

/** A line with nothing but … stands for any lines. */
const patternOf = (shown: readonly string[]): RegExp =>
  new RegExp(`^${shown.map((line) => (line.trim() === "…" ? "[^]*" : RegExp.escape(line))).join("\\n")}$`);

test.skipIf(!hasImportKit).each(["slack", "mattermost", "zulip", "rocketchat"])(
  "docs/moving-in/%s.md works as described",
  async (source) => {
    const realm = await newRealm();
    const skein = new Commands(realm.ctx);
    const samples = makeSamples();
    const folder = await mkdtemp(join(inject("scratchFolder"), "moving-in-"));
    const known = new Map([["denmark", realm.host.split(".")[0] ?? ""]]);
    /** Exports are among the samples; other files are written by the commands. */
    const argumentOf = (word: string): string =>
      known.get(word) ??
      (/\.(?:yaml|md)$/.test(word) ? join(folder, word) : word.startsWith(source) ? join(samples, word) : word);
    const run = async (line: string): Promise<string> => {
      const [command = "", output] = line.split(" > ");
      const printed = await skein.text(...command.split(" ").slice(1).map(argumentOf));
      if (output === undefined) return printed;
      await writeFile(join(folder, output), printed);
      return "";
    };

    const steps = stepsOf(await readFile(join(docs, `${source}.md`), "utf8"));
    const compared: string[] = [];
    for (const { commands, shown } of steps) {
      // Nothing is fetched in a test.
      if (commands.includes("--fetch-files")) continue;
      let printed = "";
      for (const line of commands.trim().split("\n")) printed += await run(line);
      if (shown === undefined) continue;
      expect(printed.trimEnd(), commands).toMatch(patternOf(shown));
      compared.push(commands);
    }

    expect(compared).toHaveLength(2);
    expect(await readFile(join(folder, "report.md"), "utf8")).toContain("| messages |");
  },
);
