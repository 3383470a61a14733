/** An import between areas of the domain points down, and the linter says so. */
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { areas } from "../src/areas.ts";
import { refusedImports } from "./refused-imports.ts";

const root = join(import.meta.dirname, "../..");
const names = Object.keys(areas);

const refused = (imports: Parameters<typeof refusedImports>[1]) => refusedImports("server/src", imports);

test("an import between areas is refused unless it points down", async () => {
  const pairs = names.flatMap((from) => names.filter((to) => to !== from).map((to) => [from, to] as const));
  const file = (from: string, to: string) => `domain/${from}/somewhere/imports-${to}.ts`;
  const upward = pairs.filter(([from, to]) => names.indexOf(to) > names.indexOf(from));

  expect(await refused(pairs.map(([from, to]) => [file(from, to), `../../${to}/elsewhere/rule.ts`]))).toEqual(
    upward.map(([from, to]) => file(from, to)).toSorted(),
  );
});

test("identity is a layer below http, events and domain", async () => {
  expect(
    await refused([
      ["identity/upward.ts", "../http/handle.ts"],
      ["identity/sideways.ts", "../events/emit.ts"],
      ["identity/downward.ts", "../platform/db/connect.ts"],
      ["platform/upward.ts", "../identity/account.ts"],
      ["events/downward.ts", "../identity/account.ts"],
      ["http/upward.ts", "../domain/people/users/access.ts"],
    ]),
  ).toEqual(["http/upward.ts", "identity/sideways.ts", "identity/upward.ts", "platform/upward.ts"]);
});

test("code inside a transaction does not get the whole context, whose database is another connection", async () => {
  const wrong: string[] = [];
  for await (const file of glob("server/src/{domain,events,http,jobs}/**/*.ts", { cwd: root })) {
    const source = await readFile(join(root, file), "utf8");
    for (const [parameters] of source.matchAll(/\([^()]*\)/g))
      if (/\btx: Tx\b/.test(parameters) && /: Context\b/.test(parameters)) wrong.push(`${file}: ${parameters}`);
  }

  expect(wrong).toEqual([]);
});
