/** Which subdomains a new organization can choose. */
import { sql } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";

const minLength = 3;
const maxLength = 40;

/** Names that visitors, mail programs and browsers take to mean something else. */
const reserved: ReadonlySet<string> = new Set(
  "about abuse account accounts admin administrator api app apps assets auth autoconfig autodiscover billing blog cdn chat dev developer docs email files ftp help hostmaster imap info localhost login mail marketing mobile news noreply pop postmaster push realm register root sales security skein smtp ssl static status support team test usenet webmail webmaster www".split(
    " ",
  ),
);

/** The reason why a name is unavailable, or undefined when it is available. */
export async function whyUnavailable(db: Db, name: string): Promise<string | undefined> {
  if (name.length < minLength) return `The subdomain must have at least ${minLength} characters.`;
  if (name.length > maxLength) return `The subdomain can have at most ${maxLength} characters.`;
  if (!/^[a-z0-9-]+$/.test(name)) return "The subdomain can contain only lowercase letters, digits and hyphens.";
  if (/^-|-$/.test(name)) return "The subdomain cannot begin or end with a hyphen.";
  if (reserved.has(name)) return "This subdomain is reserved.";
  // Requests select an organization by host; its short name is usually, but not always, the first part of the host.
  const { rows } = await sql`
    select from realms where string_id = ${name} or split_part(host, '.', 1) = ${name} limit 1`.execute(db);
  return rows.length > 0 ? "This subdomain is already in use." : undefined;
}
