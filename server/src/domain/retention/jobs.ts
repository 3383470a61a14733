import { z } from "zod";
import type { Context } from "../../context.ts";
import { job } from "../../jobs/job.ts";
import { removeUnclaimed } from "../uploads/remove.ts";
import { removeExpiredUploads } from "../uploads/resumable/upload.ts";
import { expireMessages } from "./expire.ts";
import { purgeDeleted } from "./purge.ts";

/** Every hour, by one worker at a time: what has been kept long enough goes. */
export const applyRetention = job({
  name: "apply retention",
  payload: z.object({}),
  schedule: "23 * * * *",
  queue: () => "retention",
  run: async (ctx: Context) => {
    const uploads = await removeExpiredUploads(ctx);
    if (uploads > 0) ctx.logger.info({ uploads }, "removed uploads that nobody went on with");
    for (const { id } of await ctx.db.selectFrom("realms").select("id").orderBy("id").execute())
      await applyRetentionTo(ctx, id);
  },
});

export async function applyRetentionTo(ctx: Context, realmId: number): Promise<void> {
  const messages = await expireMessages(ctx, realmId);
  const purged = await purgeDeleted(ctx, realmId);
  const files = await removeUnclaimed(ctx, realmId);
  if (messages + purged + files > 0) ctx.logger.info({ realm: realmId, messages, purged, files }, "applied retention");
}
