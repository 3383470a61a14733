import { open, rm, type FileHandle } from "node:fs/promises";
import { userInfo } from "node:os";
import { resolve } from "node:path";

/**
 * Creates a file that only its owner can read, because of what is in it, and never replaces one. If writing fails, the file is
 * removed again, so that the same command can be repeated.
 */
export async function writeNewFile<T>(path: string, write: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new Error(explain(resolve(path), error), { cause: error });
  });
  try {
    return await write(file);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

function explain(path: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === "EEXIST") return `${path} already exists (EEXIST). Choose another file with --output.`;
  if (code === "EACCES" || code === "EROFS")
    return `${userInfo().username} may not write to ${path}. Choose a file in another folder with --output, such as /tmp.`;
  return message;
}
