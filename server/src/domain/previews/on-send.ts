import type { Consequence } from "../messages/consequence.ts";
import { planPreviews } from "./jobs.ts";

export const linksPreviewed: Consequence = {
  isDue: ({ rendered }) => rendered.linksForPreview.length > 0,
  apply: (tx, _ctx, sent) => planPreviews(tx, { ...sent, realm_id: sent.sender.realm_id }),
};
