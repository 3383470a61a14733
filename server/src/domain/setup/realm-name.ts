import { textLength } from "@skein/api/endpoint.ts";
import { ApiError } from "../../errors.ts";

export const maxRealmNameLength = 40;

/** The name as it is stored; throws when no organization may be called so. */
export function checkRealmName(given: string): string {
  const name = given.trim();
  if (name === "") throw new ApiError("The organization needs a name.");
  if (textLength(name) > maxRealmNameLength) throw new ApiError(`At most ${maxRealmNameLength} characters.`);
  if (/\p{Cc}/u.test(name)) throw new ApiError("Invalid characters in name!");
  return name;
}
