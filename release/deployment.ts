/** The files for operators of containers, as the repository has them: Compose, Podman, Kubernetes, alerts and a dashboard. */
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { git, root } from "./sources.ts";

/** Where a release has them. compose.yaml finds the others beside it, as in the repository. */
export const deploymentFolder = "share/skein";

export interface DeploymentFile {
  path: string;
  isProgram: boolean;
}

/** Only what is under version control: other files in these folders may hold somebody's secrets. */
export function deploymentFiles(): DeploymentFile[] {
  const listed = git("ls-files", "-z", "--stage", "compose.yaml", "deploy", ":!deploy/test");
  return listed
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => ({ path: entry.slice(entry.indexOf("\t") + 1), isProgram: entry.startsWith("100755 ") }));
}

export async function copyDeploymentFiles(folder: string, files: DeploymentFile[]): Promise<void> {
  for (const { path } of files) await cp(join(root, path), join(folder, deploymentFolder, path));
}
