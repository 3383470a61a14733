/** Removes releases of the web client that no node has served for a month, and the files that no other release uses. */
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import type { Chore } from "../../../jobs/chore.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { assetKey } from "./shared-assets.ts";

export const expireWebReleases: Chore = {
  name: "removing files of old releases",
  everyMilliseconds: 3600_000,
  run: expire,
};

export async function expire({ db, files, logger }: Pick<Context, "db" | "files" | "logger">): Promise<void> {
  const removed = await transaction(db, "expire web releases", async (tx) => {
    const old = sql<boolean>`seen_at < now() - interval '30 days'`;
    const { rows } = await sql`select from web_releases where ${old} limit 1`.execute(tx);
    if (rows.length === 0) return 0;
    // No node may publish a release that shares some of these files until they are gone.
    await sql`lock table web_releases in share row exclusive mode`.execute(tx);
    const gone = await tx.deleteFrom("web_releases").where(old).returning("files").execute();
    const left = await tx.selectFrom("web_releases").select("files").execute();
    const needed = new Set(left.flatMap((release) => release.files));
    const unneeded = new Set(gone.flatMap((release) => release.files)).difference(needed);
    for (const name of unneeded) await files.remove(assetKey(name));
    return unneeded.size;
  });
  if (removed > 0) logger.info({ files: removed }, "removed web client files of old releases");
}
