import type { LegacyPresence, ModernPresence } from "@skein/api/presence.ts";
import type { Presence } from "./realm-presences.ts";

type Times = Pick<Presence, "activeAt" | "connectedAt">;

const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

/** Clients need both times, so a user who was never active counts as active when they joined. */
export const toModernPresence = ({ activeAt, connectedAt }: Times, joinedAt: number): ModernPresence => ({
  active_timestamp: toSeconds(activeAt > 0 ? activeAt : joinedAt),
  idle_timestamp: toSeconds(connectedAt),
});

/** A user who was active at most this long before their last connection counts as active. */
const activeMilliseconds = 70_000;

/** The older format, in which every client of a user had its own presence. */
export function toLegacyPresence({ activeAt, connectedAt }: Times): LegacyPresence {
  const isActive = activeAt > 0 && connectedAt - activeAt <= activeMilliseconds;
  const aggregated = {
    client: "website",
    status: isActive ? "active" : "idle",
    timestamp: toSeconds(isActive ? activeAt : connectedAt),
  } as const;
  return { aggregated, website: { ...aggregated, pushable: false } };
}
