/** The lists of files in a Zulip export must not name files outside of their folder. */
import { staysInside } from "../archive/entry-name.ts";
import type { CheckContent } from "../archive/tar.ts";
import { ArchiveRefused } from "../source.ts";

const listOfFiles = /(?:^|\/)(?:attachment|(?:uploads|avatars|emoji|realm_icons)\/records)\.json$/;
const paths = /"(?:path|s3_path|path_id|file_name)"\s*:\s*("(?:[^"\\]|\\.)*")/g;
/** Longer than any path between two chunks. */
const overlap = 16 * 1024;

/** Looks at the paths in a list while it is streamed, so that a list of any size can be checked. */
export const checkRecords: CheckContent = (name) => {
  if (!listOfFiles.test(name)) return undefined;
  let rest = "";
  return (chunk) => {
    const text = rest + chunk.toString("latin1");
    for (const [, literal = ""] of text.matchAll(paths)) checkPath(name, literal);
    rest = text.slice(-overlap);
  };
};

function checkPath(list: string, literal: string): void {
  let path = literal;
  try {
    path = String(JSON.parse(literal));
  } catch {
    // Not a text: whoever reads the list notices.
  }
  if (!staysInside(path))
    throw new ArchiveRefused(
      `${list} names the file ${JSON.stringify(path.slice(0, 200))}, which is outside of its folder. Nothing in it can be trusted.`,
    );
}
