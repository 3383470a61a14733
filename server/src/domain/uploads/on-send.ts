import type { Consequence } from "../messages/consequence.ts";
import { claimAttachments } from "./claims.ts";

export const filesCarried: Consequence = {
  isDue: ({ rendered }) => rendered.attachmentPathIds.length > 0,
  apply: async (tx, _ctx, { id, sender, rendered }) => {
    if (rendered.attachmentPathIds.length > 0) await claimAttachments(tx, sender, id, rendered.attachmentPathIds);
  },
};
