/** Throws away what was fetched from elsewhere and is too old, or more than there is room for. */
import { sql } from "kysely";
import type { Context } from "../../context.ts";

const atOnce = 500;

/** Gives back whether anything is left that will have to be thrown away later. */
export async function trimFetched(ctx: Context, maxBytes: number): Promise<boolean> {
  while (await removeImages(ctx, maxBytes));
  await sql`delete from link_previews where expires_at < now()`.execute(ctx.db);
  const { rows } = await sql<{ remains: boolean }>`
    select exists (select from fetched_images) or exists (select from link_previews) as remains`.execute(ctx.db);
  return rows[0]?.remains ?? false;
}

/** The row goes first: a row without its file is fetched anew, a file without a row would stay for ever. */
async function removeImages({ db, files }: Context, maxBytes: number): Promise<boolean> {
  const { rows } = await sql<{ file_key: string | null }>`
    with newest_first as (
      select url_hash, fetched_at, expires_at, sum(bytes) over (order by fetched_at desc, url_hash) as bytes_up_to
      from fetched_images
    )
    delete from fetched_images where url_hash in (
      select url_hash from newest_first where expires_at < now() or bytes_up_to > ${maxBytes}
      order by fetched_at limit ${atOnce})
    returning file_key`.execute(db);
  const keys = rows.flatMap(({ file_key }) => (file_key === null ? [] : [file_key]));
  await Promise.all(keys.map((key) => files.remove(key)));
  return rows.length === atOnce;
}
