import type { EventShape } from "../../events/queue.ts";

/** Those whose code comes from this server; all others have theirs from elsewhere, and nothing to load anew. */
const served: ReadonlySet<string> = new Set(["website", "ZulipElectron"]);

const reloadShape: EventShape = {
  variant: (_, queue) => String(served.has(queue.options.client_name)),
  shape: (event, queue) => (served.has(queue.options.client_name) ? event : undefined),
};

export const releaseEventShapes: [string, EventShape][] = [["web_reload_client", reloadShape]];
