/** Which short names organizations can have. */
import { sql } from "kysely";
import type { Db } from "../../platform/db/connect.ts";

const shortest = 3;
const longest = 40;

/** Names that visitors, mail programs and browsers take to mean something else. */
const reserved: ReadonlySet<string> = new Set(
  "about abuse account accounts admin administrator api app apps assets auth autoconfig autodiscover billing blog cdn chat dev developer docs email files ftp help hostmaster imap info localhost login mail marketing mobile news noreply pop postmaster push realm register root sales security skein smtp ssl static status support team test usenet webmail webmaster www".split(
    " ",
  ),
);

/** Undefined for a name that can be had. */
export async function whyUnavailable(db: Db, name: string): Promise<string | undefined> {
  if (name.length < shortest) return `The subdomain needs ${shortest} characters or more.`;
  if (name.length > longest) return `The subdomain may have ${longest} characters at most.`;
  if (!/^[a-z0-9-]+$/.test(name)) return "The subdomain may have lowercase letters, digits and hyphens only.";
  if (/^-|-$/.test(name)) return "The subdomain may not begin or end with a hyphen.";
  if (reserved.has(name)) return "This subdomain is reserved.";
  // An organization is found by its host; its short name is mostly, but not always, the first part of that.
  const { rows } = await sql`
    select from realms where string_id = ${name} or split_part(host, '.', 1) = ${name} limit 1`.execute(db);
  return rows.length > 0 ? "This subdomain is in use." : undefined;
}
