import type { LegacyPresence, ModernPresence } from "@skein/api/presence.ts";
import type { Presence } from "./realm-presences.ts";

type Times = Pick<Presence, "seenAt" | "heardAt">;

const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000);

export const toModernPresence = ({ seenAt, heardAt }: Times): ModernPresence => ({
  ...(seenAt > 0 ? { active_timestamp: toSeconds(seenAt) } : {}),
  idle_timestamp: toSeconds(heardAt),
});

/** Who was seen within this time of being heard of last counts as there. */
const activeMilliseconds = 70_000;

/** The same, as it was said when every client of a user had a presence of its own. */
export function toLegacyPresence({ seenAt, heardAt }: Times): LegacyPresence {
  const isActive = seenAt > 0 && heardAt - seenAt <= activeMilliseconds;
  const aggregated = {
    client: "website",
    status: isActive ? "active" : "idle",
    timestamp: toSeconds(isActive ? seenAt : heardAt),
  } as const;
  return { aggregated, website: { ...aggregated, pushable: false } };
}
