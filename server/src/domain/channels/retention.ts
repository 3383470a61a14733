import type { MessageRetention } from "@skein/api/channels.ts";
import { roles } from "@skein/api/users.ts";
import { ApiError, invalidParameter } from "../../errors.ts";
import type { User } from "../../identity/account.ts";

const maxRetentionDays = 2 ** 31 - 1;

/** The value as stored: null follows the organization's setting, -1 means forever. */
export function toRetentionDays(chosen: MessageRetention): number | null {
  if (chosen === "realm_default") return null;
  if (chosen === "unlimited") return -1;
  if (chosen < 1 || chosen > maxRetentionDays) throw invalidParameter("message_retention_days", String(chosen));
  return chosen;
}

export function accessRetention(user: User): void {
  if (user.role !== roles.owner) throw new ApiError("Must be an organization owner");
}
