import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { listRoutes } from "../bin/routes.ts";
import { endpoints } from "./all.ts";
import * as routes from "./routes.ts";

test("routes.ts matches the declarations; `npm run routes` writes it", async () => {
  const listed = await listRoutes();

  expect(listed).toHaveLength(endpoints.length);
  expect({ ...routes }).toEqual(
    Object.fromEntries(listed.map(({ name, method, path, texts }) => [name, { method, path, texts }])),
  );
});

test("a program that uses the package's entry loads no schema", () => {
  const loaded = new Set<string>();
  const load = (file: URL): void => {
    if (loaded.has(file.href)) return;
    loaded.add(file.href);
    const text = readFileSync(file, "utf8");
    for (const [, from] of text.matchAll(/^(?:import|export) (?!type\b)[^;]*?from "([^"]+)";/gm)) {
      if (from === undefined) continue;
      if (from.startsWith(".")) load(new URL(from, file));
      else loaded.add(from);
    }
  };

  load(new URL("index.ts", import.meta.url));

  expect([...loaded].filter((file) => !file.startsWith("file:"))).toEqual([]);
  expect(loaded.size).toBeGreaterThan(10);
});
