import { textLength } from "@skein/api/endpoint.ts";
import { maxFullNameLength, minFullNameLength } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";

/** Characters with a meaning in the syntax of mentions, and invisible characters. */
const forbidden = /[*`\\>"@]|\p{C}/u;
/** In a mention, digits after a bar are the user's id, which distinguishes users with the same name. */
const looksLikeMention = /\|\d+$/;

/** The name as stored; throws when it is not allowed. */
export function checkFullName(given: string): string {
  const name = given.trim();
  if (textLength(name) > maxFullNameLength) throw new ApiError("Name too long!");
  if (textLength(name) < minFullNameLength) throw new ApiError("Name too short!");
  if (forbidden.test(name)) throw new ApiError("Invalid characters in name!");
  if (looksLikeMention.test(name)) throw new ApiError("Invalid format!");
  return name;
}
