/** The files that examples upload. */
import { cp } from "node:fs/promises";
import { join } from "node:path";

const folder = join(import.meta.dirname, "files");

export const exampleFile = (name: string): string => join(folder, name);

/** Puts them beside the commands of the reference, which name them without a folder. */
export const copyExampleFiles = (to: string): Promise<void> => cp(folder, to, { recursive: true });
