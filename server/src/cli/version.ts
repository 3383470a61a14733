import { commit } from "../domain/organization/releases/commit.ts";
import { release } from "../platform/release.ts";
import { command } from "./command.ts";

export const version = command({
  options: {},
  run: async ({ answer }) => {
    const built = commit === undefined ? "from a checkout" : `commit ${commit}`;
    answer({ release, commit: commit ?? null, node: process.version }, `skein ${release} (${built})`);
  },
});
