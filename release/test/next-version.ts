import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./commands.ts";

export interface NextVersion {
  deb: string;
  version: string;
  /** Matches the new setting in skein.env. */
  added: RegExp;
}

/** The package with a higher version and one more setting. */
export async function makeNextVersion(deb: string, folder: string): Promise<NextVersion> {
  const unpacked = join(folder, "next");
  await run(["dpkg-deb", "--raw-extract", deb, unpacked]);
  const control = await readFile(join(unpacked, "DEBIAN/control"), "utf8");
  const version = `${/^Version: (.*)$/m.exec(control)?.[1]}+next`;
  await writeFile(join(unpacked, "DEBIAN/control"), control.replace(/^Version: .*$/m, `Version: ${version}`));
  await appendFile(join(unpacked, "etc/skein/skein.env"), "#SKEIN_NEXT=1\n");
  const next = join(folder, "skein-next.deb");
  await run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", unpacked, next]);
  await rm(unpacked, { recursive: true });
  return { deb: next, version, added: /^#SKEIN_NEXT=1$/m };
}
