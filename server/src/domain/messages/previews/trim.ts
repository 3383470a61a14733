/** Removes cached images and previews that have expired or exceed the size limit. */
import { sql } from "kysely";
import type { Context } from "../../../context.ts";

const batchSize = 500;

/** Returns whether anything is left that has to be removed later. */
export async function trimFetched(ctx: Context, maxBytes: number): Promise<boolean> {
  while (await removeImages(ctx, maxBytes));
  await sql`delete from link_previews where expires_at < now()`.execute(ctx.db);
  const { rows } = await sql<{ remains: boolean }>`
    select exists (select from fetched_images) or exists (select from link_previews) as remains`.execute(ctx.db);
  return rows[0]?.remains ?? false;
}

/** The row is deleted first: a row without its file is fetched again, but a file without a row would stay forever. */
async function removeImages({ db, files }: Context, maxBytes: number): Promise<boolean> {
  const { rows } = await sql<{ file_key: string | null }>`
    with newest_first as (
      select url_hash, fetched_at, expires_at, sum(bytes) over (order by fetched_at desc, url_hash) as bytes_up_to
      from fetched_images
    )
    delete from fetched_images where url_hash in (
      select url_hash from newest_first where expires_at < now() or bytes_up_to > ${maxBytes}
      order by fetched_at limit ${batchSize})
    returning file_key`.execute(db);
  const keys = rows.flatMap(({ file_key }) => (file_key === null ? [] : [file_key]));
  await Promise.all(keys.map((key) => files.remove(key)));
  return rows.length === batchSize;
}
