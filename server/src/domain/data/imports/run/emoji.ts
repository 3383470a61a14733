/** Custom emoji of the export whose names are free here. */
import { sql } from "kysely";
import { ApiError } from "../../../../errors.ts";
import { addEmoji } from "../../../organization/emoji/actions.ts";
import type { SourceEmoji } from "../source.ts";
import { readSmallFile } from "./files.ts";
import type { Import } from "./import-context.ts";
import { recall, remember } from "./map.ts";

const maxBytes = 5 * 1024 ** 2;

export async function storeEmoji(run: Import, checkpoint: number): Promise<void> {
  const { db, realmId, owner, ctx } = run;
  const known = await recall(db, run, "emoji");
  const { rows } = await sql<{ n: number; data: SourceEmoji }>`
    select n, data from import_emoji where realm_id = ${realmId} and n > ${checkpoint} order by n`.execute(db);
  for (const { n, data } of rows) {
    if (known.has(data.name)) continue;
    const bytes = await readSmallFile(run, data.image, maxBytes);
    if (!bytes) continue;
    const file = { name: data.image.name, contentType: data.image.type ?? "", bytes };
    try {
      await addEmoji(ctx, owner, data.name, [file], async (tx, id) => {
        await remember(tx, run, "emoji", [[data.name, id]]);
        await run.checkpointWithin(tx, n, (report) => void report.imported.emoji++);
      });
    } catch (error) {
      // Its name is taken or not allowed, or its picture cannot be read: reactions with it are counted as unknown.
      if (!(error instanceof ApiError)) throw error;
    }
  }
}
