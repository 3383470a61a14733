/**
 * Whether the server has a newer client. The page names its main script, whose name changes with every release: so the page
 * is fetched again and searched for the current script.
 */
import { effect, signal } from "@preact/signals";
import { onEvent } from "./events.ts";
import { connection, generation } from "./sync.ts";

export const isOutdated = signal(false);

const askEvery = 15 * 60_000;
let askedAt = Date.now();

/** For code with reason to suspect a new release: a chunk of this client is gone. */
export async function checkForRelease(): Promise<void> {
  askedAt = Date.now();
  const script = document.querySelector<HTMLScriptElement>("script[type=module][src]");
  if (!script) return;
  try {
    const response = await fetch("/", { cache: "no-cache" });
    // A redirect to the login page proves nothing.
    if (!response.ok || response.redirected) return;
    isOutdated.value = !(await response.text()).includes(new URL(script.src).pathname);
  } catch {
    // Without a response there is nothing to compare; the next check retries.
  }
}

export function startRelease(): void {
  onEvent(({ type }) => {
    if (type === "web_reload_client") void checkForRelease();
  });
  // After this event a client may still reach a node running the old release; when that node stops, the lost connection triggers another check.
  let wasLost = false;
  effect(() => {
    const isLive = connection.value === "live";
    if (isLive && wasLost) void checkForRelease();
    wasLost = !isLive && (wasLost || connection.value !== "starting");
  });
  effect(() => {
    if (generation.value > 1) void checkForRelease();
  });
  const checkWhenDue = (): void => {
    if (document.visibilityState === "visible" && Date.now() - askedAt > askEvery) void checkForRelease();
  };
  document.addEventListener("visibilitychange", checkWhenDue);
  setInterval(checkWhenDue, askEvery);
}
