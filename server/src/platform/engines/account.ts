/** PostgreSQL refuses to run as root, so root runs the engines under another account. */
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

/** The account the engines run under; undefined means the caller's own. */
export async function engineAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  try {
    const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => run("id", [flag, accountName])));
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
  } catch {
    throw new Error(
      `PostgreSQL does not run as root, and there is no account named ${accountName} to run it under. ` +
        `Create one (useradd --system ${accountName}), or run this command as another user.`,
    );
  }
}

/** Lets the account pass through `dir` to its own folders inside. */
export async function openPath(dir: string, account: Account | undefined): Promise<void> {
  if (!account) return;
  const { mode } = await stat(dir);
  if (!(mode & 0o001)) await chmod(dir, (mode & 0o7777) | 0o001);
  for (let parent = dirname(dir); parent !== dirname(parent); parent = dirname(parent)) {
    const above = await stat(parent);
    const passable = above.mode & 0o001 || (above.uid === account.uid && above.mode & 0o100);
    if (!passable) {
      throw new Error(
        `When root runs this command, the engines run as ${accountName}, which cannot access ${parent}. ` +
          `Choose another folder, for example under /var/tmp, or grant access: chmod o+x ${parent}`,
      );
    }
  }
}

/** Creates a folder that only the account can access. */
export async function makePrivateFolder(path: string, account: Account | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  if (account) await chown(path, account.uid, account.gid);
}
