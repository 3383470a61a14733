import { ApiError } from "../../../errors.ts";

/** The beginnings of mentions and of system groups' names. */
const reservedPrefixes = ["@", "role:", "user:", "stream:", "channel:"];

/** Trims and validates a name. */
export function checkGroupName(chosen: string): string {
  const name = chosen.trim();
  if (name === "") throw new ApiError("User group name can't be empty!");
  const prefix = reservedPrefixes.find((reserved) => name.toLowerCase().startsWith(reserved));
  if (prefix !== undefined) throw new ApiError(`User group name cannot start with '${prefix}'.`);
  return name;
}

export const nameIsTaken = (name: string) => new ApiError(`User group '${name}' already exists.`);
