/** Writes the OpenAPI document beside the package, where people and tools can read it without a running server. */
import { writeFile } from "node:fs/promises";
import { documentedEndpoints } from "../src/all.ts";
import { toOpenApi } from "../src/openapi.ts";

const document = toOpenApi(documentedEndpoints);
await writeFile(new URL("../openapi.json", import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
