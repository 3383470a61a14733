/** How long messages are kept, in days. A channel's null is the organization's period; -1 is forever. */
import type { MessageRetention } from "@skein/api/channels.ts";
import { part } from "./state.ts";

export const forever = -1;

/** What a request expects for a stored number of days. */
export const retentionRequest = (days: number | null): MessageRetention =>
  days === null ? "realm_default" : days === forever ? "unlimited" : days;

export const organizationRetention = (): number => part("realm_message_retention_days").value ?? forever;

/** The days that a channel's messages are kept; Infinity if forever. */
export const retentionOf = (days: number | null): number => {
  const chosen = days ?? organizationRetention();
  return chosen === forever ? Infinity : chosen;
};

/** The new period if it is shorter, so that messages are deleted; undefined if none are. */
export const shorterRetention = (from: number | null, to: number | null): number | undefined =>
  retentionOf(to) < retentionOf(from) ? retentionOf(to) : undefined;
