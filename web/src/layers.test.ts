// @vitest-environment node
/** Imports between the client's folders may only point down; checks that the linter enforces it. */
import { glob, readFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { refusedImports } from "../../server/test/refused-imports.ts";

/** From low to high. Folders in the same layer do not import each other. */
const layers: readonly (readonly string[])[] = [
  ["text"],
  ["api"],
  ["store"],
  ["ui"],
  ["navigation"],
  ["descriptors"],
  ["content"],
  ["emoji"],
  ["composer"],
  ["parts"],
  ["controls"],
  ["commands"],
  ["conversation"],
  [
    "administration",
    "channel",
    "channel-settings",
    "drafts",
    "files",
    "inbox",
    "message-actions",
    "notifications",
    "palette",
    "panel",
    "people",
    "search",
    "settings",
    "sidebar",
    "sign-in",
  ],
  ["app"],
];
const folders = layers.flat();
/** What holds no code. */
const data = ["locales", "styles"];

const layerOf = (folder: string): number => layers.findIndex((layer) => layer.includes(folder));
const pointsDown = (from: string, to: string): boolean => layerOf(to) < layerOf(from);

test("an import between folders is refused unless it points down", async () => {
  const pairs = folders.flatMap((from) => folders.filter((to) => to !== from).map((to) => [from, to] as const));
  const file = (from: string, to: string) => `${from}/imports-${to}.tsx`;
  const refused = await refusedImports("web/src", [
    ...pairs.map(([from, to]) => [file(from, to), `../${to}/something.ts`] as const),
    ...folders.map((from) => [file(from, "main"), "../main.tsx"] as const),
    ...folders.map((from) => [file(from, "itself"), "./something.ts"] as const),
  ]);

  expect(refused).toEqual(
    [
      ...pairs.filter(([from, to]) => !pointsDown(from, to)).map(([from, to]) => file(from, to)),
      ...folders.map((from) => file(from, "main")),
    ].toSorted(),
  );
});

test("every folder has its layer, and every import points down, in style sheets too and by whatever path", async () => {
  const wrong: string[] = [];
  const seen = new Set<string>();
  for await (const file of glob("**/*.{ts,tsx,css}", { cwd: import.meta.dirname })) {
    const [from = ""] = file.split("/");
    if (file === from || data.includes(from)) continue;
    seen.add(from);
    const source = await readFile(join(import.meta.dirname, file), "utf8");
    for (const [, specifier = ""] of source.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']+)["']/g)) {
      const target = normalize(join(dirname(file), specifier));
      const [to = ""] = target.split("/");
      if (to === from || to === ".." || data.includes(to)) continue;
      if (!pointsDown(from, to)) wrong.push(`${file} imports ${target}`);
    }
  }

  expect(wrong).toEqual([]);
  expect([...seen].toSorted()).toEqual(folders.toSorted());
});
