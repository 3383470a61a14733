/** Runs the first sections of the conformance probe, which is beside the project in `../shared/probe`, against a server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "../sources.ts";
import { plainEnvironment } from "./commands.ts";

const probe = join(root, "../shared/probe");

export interface Owner {
  email: string;
  key: string;
}

/** The owner needs the permissions can_create_users and can_change_user_emails. */
export async function runProbe(url: string, owner: Owner): Promise<void> {
  if (!existsSync(probe)) {
    console.log("probe: left out, because it is not beside the project");
    return;
  }
  const env = { ...plainEnvironment, SITE: url, OWNER_EMAIL: owner.email, OWNER_API_KEY: owner.key };
  const script = join(import.meta.dirname, "probe-sections.ts");
  const child = spawn(process.execPath, [script, probe], { env, stdio: ["ignore", "inherit", "inherit"] });
  const [code] = (await once(child, "exit")) as [number | null]; // as documented for "exit"
  if (code !== 0) throw new Error("The probe found differences (see above)");
}
