import { readConfig, settings } from "../../config.ts";
import { Directory } from "../../platform/directory/directory.ts";
import { prepareDirectory } from "../../platform/directory/schema.ts";

/** Runs `work` with the directory, whose tables are created if they are missing. */
export async function withDirectory<T>(work: (directory: Directory) => Promise<T>): Promise<T> {
  const { directoryUrl } = readConfig(process.env);
  if (directoryUrl === "")
    throw new Error(
      `Set ${settings.directoryUrl.variable} to the URL of the directory's database (see \`skein config\`).`,
    );
  await prepareDirectory(directoryUrl);
  const directory = new Directory(directoryUrl);
  try {
    return await work(directory);
  } finally {
    await directory.close();
  }
}
