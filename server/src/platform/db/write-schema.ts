import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateSchema } from "./generate-schema.ts";

const url = process.argv[2];
if (url === undefined) throw new Error("usage: npm run schema -- DATABASE_URL   (of a migrated database)");
await writeFile(join(import.meta.dirname, "schema.ts"), await generateSchema(url));
