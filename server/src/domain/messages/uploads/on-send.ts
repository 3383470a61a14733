import type { Consequence } from "../send/consequence.ts";
import { claimAttachments } from "./claims.ts";

export const claimFiles: Consequence = {
  isDue: ({ rendered }) => rendered.attachmentPathIds.length > 0,
  apply: async (tx, _ctx, { id, sender, rendered }) => {
    if (rendered.attachmentPathIds.length > 0) await claimAttachments(tx, sender, id, rendered.attachmentPathIds);
  },
};
