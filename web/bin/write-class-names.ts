/** Writes the class names of the CSS modules as declarations for TypeScript. */
import { join } from "node:path";
import { writeDeclarations } from "../class-names.ts";

await writeDeclarations(join(import.meta.dirname, ".."));
