/**
 * Whether the server has another client by now. The page names the script it runs by, whose name is new with every
 * release: so the page is asked for again, and looked through for the script of this one.
 */
import { effect, signal } from "@preact/signals";
import { onEvent } from "./events.ts";
import { connection, generation } from "./sync.ts";

export const isOutdated = signal(false);

const askEvery = 15 * 60_000;
let askedAt = Date.now();

/** For who has reason to believe so: a part of this client is gone. */
export async function lookForRelease(): Promise<void> {
  askedAt = Date.now();
  const script = document.querySelector<HTMLScriptElement>("script[type=module][src]");
  if (!script) return;
  try {
    const response = await fetch("/", { cache: "no-cache" });
    // Led on to log in, one learns nothing.
    if (!response.ok || response.redirected) return;
    isOutdated.value = !(await response.text()).includes(new URL(script.src).pathname);
  } catch {
    // Without an answer there is nothing to compare; it is asked for again.
  }
}

export function startRelease(): void {
  onEvent(({ type }) => {
    if (type === "web_reload_client") void lookForRelease();
  });
  // Told so, one may ask a node that is still to be replaced: its end, which breaks the connection, is another sign.
  let wasLost = false;
  effect(() => {
    const isLive = connection.value === "live";
    if (isLive && wasLost) void lookForRelease();
    wasLost = !isLive && (wasLost || connection.value !== "starting");
  });
  effect(() => {
    if (generation.value > 1) void lookForRelease();
  });
  const lookWhenDue = (): void => {
    if (document.visibilityState === "visible" && Date.now() - askedAt > askEvery) void lookForRelease();
  };
  document.addEventListener("visibilitychange", lookWhenDue);
  setInterval(lookWhenDue, askEvery);
}
