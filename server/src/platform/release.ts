/** The release of this server, and the order of releases. */
import server from "../../package.json" with { type: "json" };

export const release: string = server.version;

/** Negative if the first is older. */
export function compareReleases(one: string, other: string): number {
  const [a, b] = [numbers(one), numbers(other)];
  for (const [index, number] of a.entries()) if (number !== b[index]) return number - (b[index] ?? 0);
  return 0;
}

/** Only major, minor and patch: what is appended to them (`-rc.1`) says nothing about the schema. */
function numbers(text: string): number[] {
  const found = /^(\d+)\.(\d+)\.(\d+)/.exec(text);
  if (!found) throw new Error(`not a release: ${text}`);
  return found.slice(1).map(Number);
}
