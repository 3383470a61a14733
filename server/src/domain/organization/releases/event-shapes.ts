import type { EventShape } from "../../../events/queue.ts";

/** The clients that load their code from this server, and so have to reload it. */
const servedClients: ReadonlySet<string> = new Set(["website", "ZulipElectron"]);

const reloadShape: EventShape = {
  variant: (_, queue) => String(servedClients.has(queue.options.client_name)),
  shape: (event, queue) => (servedClients.has(queue.options.client_name) ? event : undefined),
};

export const releaseEventShapes: [string, EventShape][] = [["web_reload_client", reloadShape]];
