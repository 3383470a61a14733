/** PostgreSQL refuses to run as root, so root lends the engines another account. */
import { execFile } from "node:child_process";
import { chmod, chown, mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const accountName = "postgres";

export interface Account {
  uid: number;
  gid: number;
}

/** The account the engines run under, or undefined when it is simply the caller's own. */
export async function engineAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  try {
    const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => run("id", [flag, accountName])));
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
  } catch {
    throw new Error(
      `PostgreSQL does not run as root, and there is no account named ${accountName} to run it instead. ` +
        `Create one (useradd --system ${accountName}), or call this as another user.`,
    );
  }
}

/** Makes `dir` one that the account can pass through on the way to its own folders inside it. */
export async function openPath(dir: string, account: Account | undefined): Promise<void> {
  if (!account) return;
  const { mode } = await stat(dir);
  if (!(mode & 0o001)) await chmod(dir, (mode & 0o7777) | 0o001);
  for (let parent = dirname(dir); parent !== dirname(parent); parent = dirname(parent)) {
    const above = await stat(parent);
    const passable = above.mode & 0o001 || (above.uid === account.uid && above.mode & 0o100);
    if (!passable) {
      throw new Error(
        `The account ${accountName} runs the engines when root calls this, and ${parent} is closed to it. ` +
          `Choose a folder elsewhere, for example under /var/tmp, or open it: chmod o+x ${parent}`,
      );
    }
  }
}

/** A folder that belongs to the account alone. */
export async function makePrivateFolder(path: string, account: Account | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (account) await chown(path, account.uid, account.gid);
}
