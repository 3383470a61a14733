/** Integrations with other services: incoming and outgoing webhooks, bot storage. */
import { botStorageEndpoints } from "./bot-storage/endpoints.ts";
import { forgetDeliveries } from "./incoming-webhooks/jobs.ts";
import { incomingWebhookPages } from "./incoming-webhooks/pages.ts";
import { incomingWebhookState } from "./incoming-webhooks/state.ts";
import { deliverWebhook } from "./outgoing-webhooks/jobs.ts";
import { outgoingWebhooks } from "./outgoing-webhooks/on-send.ts";
import type { Area } from "../../area.ts";

export const integrations: Area = {
  endpoints: [...botStorageEndpoints],
  pages: (ctx) => [...incomingWebhookPages(ctx)],
  stateParts: [incomingWebhookState],
  jobs: [deliverWebhook, forgetDeliveries],
  consequences: [outgoingWebhooks],
};
