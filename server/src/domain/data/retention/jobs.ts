import { z } from "zod";
import type { Context } from "../../../context.ts";
import { job } from "../../../jobs/job.ts";
import { sweepPendingFiles } from "../../messages/uploads/pending-files.ts";
import { removeUnclaimed } from "../../messages/uploads/remove.ts";
import { removeExpiredUploads } from "../../messages/uploads/resumable/upload.ts";
import { expireMessages } from "./expire.ts";
import { purgeDeleted } from "./purge.ts";

/** Deletes expired data every hour, on one worker at a time. */
export const applyRetention = job({
  name: "apply retention",
  payload: z.object({}),
  schedule: "23 * * * *",
  queue: () => "retention",
  run: async (ctx: Context) => {
    const uploads = await removeExpiredUploads(ctx);
    if (uploads > 0) ctx.logger.info({ uploads }, "removed abandoned uploads");
    const pending = await sweepPendingFiles(ctx);
    if (pending > 0) ctx.logger.info({ files: pending }, "removed orphaned files");
    for (const { id } of await ctx.db.selectFrom("realms").select("id").orderBy("id").execute())
      await applyRetentionTo(ctx, id);
  },
});

export async function applyRetentionTo(ctx: Context, realmId: number): Promise<void> {
  const messages = await expireMessages(ctx, realmId);
  const purged = await purgeDeleted(ctx, realmId);
  const files = await removeUnclaimed(ctx, realmId);
  if (messages + purged + files > 0)
    ctx.logger.info({ realm_id: realmId, messages, purged, files }, "applied retention");
}
