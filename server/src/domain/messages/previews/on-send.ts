import type { Consequence } from "../send/consequence.ts";
import { planPreviews } from "./jobs.ts";

export const planLinkPreviews: Consequence = {
  isDue: ({ rendered }) => rendered.linksForPreview.length > 0,
  apply: (tx, _ctx, sent) => planPreviews(tx, { ...sent, realm_id: sent.sender.realm_id }),
};
