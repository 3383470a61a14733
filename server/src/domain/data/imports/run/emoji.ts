/** Custom emoji of the export whose names are free here, and those that are no longer in use. */
import { sql } from "kysely";
import { ApiError } from "../../../../errors.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { addEmoji } from "../../../organization/emoji/actions.ts";
import type { SourceEmoji } from "../source.ts";
import { readSmallFile } from "./files.ts";
import type { Import } from "./import-context.ts";
import { recall, remember } from "./map.ts";

const maxBytes = 5 * 1024 ** 2;

export async function storeEmoji(run: Import, checkpoint: number): Promise<void> {
  const { db, realmId, owner, ctx } = run;
  const known = await recall(db, run, "emoji");
  const people = await recall(db, run, "person");
  const { rows } = await sql<{ n: number; data: SourceEmoji }>`
    select n, data from import_emoji where realm_id = ${realmId} and n > ${checkpoint} order by n`.execute(db);
  for (const { n, data } of rows) {
    const key = emojiKey(data);
    if (known.has(key)) continue;
    const bytes = await readSmallFile(run, data.image, maxBytes);
    if (!bytes) continue;
    const file = { name: data.image.name, contentType: data.image.type ?? "", bytes };
    try {
      await addEmoji(ctx, owner, data.name, [file], {
        isDeactivated: data.isDeactivated ?? false,
        alongside: async (tx, id) => {
          await attribute(tx, id, data, people);
          await remember(tx, run, "emoji", [[key, id]]);
          await run.checkpointWithin(tx, n, (report) => void report.imported.emoji++);
        },
      });
    } catch (error) {
      // Its name is taken or not allowed, or its picture cannot be read: reactions with it are counted as unknown.
      if (!(error instanceof ApiError)) throw error;
    }
  }
}

/** In the map, emoji are known by their ids, or by their names in a source where they have none. */
export const emojiKey = ({ id, name }: Pick<SourceEmoji, "id" | "name">): string =>
  id === undefined ? name : `#${id}`;

async function attribute(
  tx: Tx,
  id: number,
  { authorId = "", createdAt }: SourceEmoji,
  people: ReadonlyMap<string, number>,
): Promise<void> {
  const author_id = people.get(authorId);
  const columns = {
    ...(author_id === undefined ? {} : { author_id }),
    ...(createdAt === undefined ? {} : { date_created: new Date(Math.round(createdAt * 1000)) }),
  };
  if (Object.keys(columns).length > 0) await tx.updateTable("custom_emoji").set(columns).where("id", "=", id).execute();
}
