/** The registration response's fields about external services: GIFs, video calls, billing. */
import { z } from "zod";

export const giphyState = {
  giphy_api_key: z.string().describe("The server's key for the picture service; empty where there is none."),
};

export const tenorState = {
  tenor_api_key: z.string().describe("The server's key for another picture service. Always empty."),
};

export const videoCallState = {
  has_zoom_token: z.boolean().describe("Whether the caller's Zoom account is linked here."),
};

export const billingState = {
  realm_billing: z
    .strictObject({ has_pending_sponsorship_request: z.boolean() })
    .describe("Billing information about the organization's plan."),
};
