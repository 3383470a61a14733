import type { StatePart } from "../../../events/state-part.ts";
import { describedIntegrations } from "./integrations.ts";

export const incomingWebhookState: StatePart = {
  types: ["realm_incoming_webhook_bots"],
  sharedBy: () => "",
  load: async () => ({ realm_incoming_webhook_bots: describedIntegrations }),
};
