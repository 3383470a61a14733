/** The names of an organization: its display name, its short name, and the host name that selects it. */
import { textLength } from "@skein/api/endpoint.ts";
import { ApiError } from "../../../errors.ts";
import type { Db } from "../../../platform/db/connect.ts";

export const maxRealmNameLength = 40;

/** The name as it is stored; throws if it is invalid. */
export function checkRealmName(given: string): string {
  const name = given.trim();
  if (name === "") throw new ApiError("Enter a name for the organization.");
  if (textLength(name) > maxRealmNameLength)
    throw new ApiError(`The name can have at most ${maxRealmNameLength} characters.`);
  if (/\p{Cc}/u.test(name)) throw new ApiError("Invalid characters in name!");
  return name;
}

/** The first organization of a server has an empty short name; all others choose one. */
export function checkShortName(shortName: string): string {
  if (!/^[a-z0-9-]{1,40}$/.test(shortName)) throw new ApiError("A short name has 1 to 40 characters: a-z, 0-9 and -.");
  return shortName;
}

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const hostPattern = new RegExp(String.raw`^(?=.{1,253}$)${label}(?:\.${label})*$`);

/** The host name as it is stored; throws if it is invalid. */
export function checkHost(given: string): string {
  const host = given.toLowerCase();
  if (!hostPattern.test(host)) throw new ApiError(`${given} is not a host name.`);
  return host;
}

/** Throws if another organization has the short name or the host name; at most one can be without a host name. */
export async function refuseTakenNames(
  db: Db,
  { string_id, host }: { string_id?: string; host?: string | null },
  except = 0,
): Promise<void> {
  const others = await db
    .selectFrom("realms")
    .select(["string_id", "name", "host"])
    .where("id", "<>", except)
    .execute();
  if (others.some((realm) => realm.string_id === string_id))
    throw new ApiError(`The short name ${string_id} is already taken.`);
  const rival = others.find((realm) => realm.host === host);
  if (!rival) return;
  throw new ApiError(
    host === null
      ? `${rival.name} already serves all host names that no other organization has. Choose a host name.`
      : `${rival.name} already uses the host name ${host}.`,
  );
}
