import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { generateSchema } from "./generate-schema.ts";

test("schema.ts matches the migrated database", async () => {
  const written = await readFile(join(import.meta.dirname, "schema.ts"), "utf8");

  expect(written).toBe(await generateSchema(inject("postgresUrl")));
});
