/** Presence. The client reports its own while the page is in use; each response has everyone else's. */
import { signal } from "@preact/signals";
import type { ModernPresence } from "@skein/api/presence.ts";
import { updatePresence } from "@skein/api/routes/presence.ts";
import { call } from "../api/call.ts";
import { onEvent } from "./events.ts";
import { part } from "./state.ts";

export type Presence = "active" | "idle";

const idleAfter = 5 * 60_000;
const known = signal<ReadonlyMap<number, ModernPresence>>(new Map());
let lastUpdateId = -1;
let usedAt = Date.now();

/** Undefined for people who are away. */
export function presenceOf(userId: number): Presence | undefined {
  const presence = known.value.get(userId);
  if (!presence) return undefined;
  const threshold = part("server_presence_offline_threshold_seconds").value ?? 200;
  const now = Date.now() / 1000;
  if (now - presence.active_timestamp < threshold) return "active";
  return now - presence.idle_timestamp < threshold ? "idle" : undefined;
}

/** When they were last seen, in seconds; undefined if that was long ago. */
export function lastSeen(userId: number): number | undefined {
  const presence = known.value.get(userId);
  return presence && Math.max(presence.active_timestamp, presence.idle_timestamp);
}

function mergePresences(presences: Record<string, ModernPresence>): void {
  const next = new Map(known.peek());
  for (const [id, presence] of Object.entries(presences)) next.set(Number(id), presence);
  known.value = next;
}

export function startPresence(): void {
  mergePresences((part("presences").peek() ?? {}) as Record<string, ModernPresence>); // slim_presence was asked for
  lastUpdateId = part("presence_last_update_id").peek() ?? -1;
  for (const type of ["keydown", "pointermove", "focus"]) {
    addEventListener(type, () => (usedAt = Date.now()), { capture: true, passive: true });
  }
  onEvent((event) => {
    if (event.type === "presence") mergePresences(event.presences ?? {});
  });
  void ping();
  setInterval(() => void ping(), (part("server_presence_ping_interval_seconds").peek() ?? 60) * 1000);
}

async function ping(): Promise<void> {
  const isActive = document.hasFocus() && Date.now() - usedAt < idleAfter;
  try {
    const response = await call(updatePresence, {
      status: isActive ? "active" : "idle",
      last_update_id: lastUpdateId,
      new_user_input: isActive,
    });
    lastUpdateId = response.presence_last_update_id ?? lastUpdateId;
    mergePresences((response.presences ?? {}) as Record<string, ModernPresence>); // as asked for by last_update_id
  } catch {
    // The next request reports it again.
  }
}
