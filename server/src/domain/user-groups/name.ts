import { ApiError } from "../../errors.ts";

/** What stands at the beginning of a mention or of a system group's name. */
const reservedPrefixes = ["@", "role:", "user:", "stream:", "channel:"];

/** A name somebody chose, without white space around it; refuses what no group may be called. */
export function checkGroupName(chosen: string): string {
  const name = chosen.trim();
  if (name === "") throw new ApiError("User group name can't be empty!");
  const prefix = reservedPrefixes.find((reserved) => name.toLowerCase().startsWith(reserved));
  if (prefix !== undefined) throw new ApiError(`User group name cannot start with '${prefix}'.`);
  return name;
}

export const nameIsTaken = (name: string) => new ApiError(`User group '${name}' already exists.`);
