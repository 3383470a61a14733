import { textLength } from "@skein/api/endpoint.ts";
import { maxFullNameLength, minFullNameLength } from "@skein/api/users.ts";
import { ApiError } from "../../errors.ts";

/** Characters that mean something around a mention, or that cannot be seen. */
const forbidden = /[*`\\>"@]|\p{C}/u;
/** In a mention, digits after a bar are the id of one of several people with the same name. */
const looksLikeMention = /\|\d+$/;

/** The name as it is stored; throws when nobody may be called so. */
export function checkFullName(given: string): string {
  const name = given.trim();
  if (textLength(name) > maxFullNameLength) throw new ApiError("Name too long!");
  if (textLength(name) < minFullNameLength) throw new ApiError("Name too short!");
  if (forbidden.test(name)) throw new ApiError("Invalid characters in name!");
  if (looksLikeMention.test(name)) throw new ApiError("Invalid format!");
  return name;
}
