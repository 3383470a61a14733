import { ApiError } from "../../../../../errors.ts";
import type { Tx } from "../../../../../platform/db/transaction.ts";
import type { Import } from "../import-context.ts";
import { remember, type MapKind } from "../map.ts";
import { remarkInto, type Report } from "../report.ts";

/** Of what the server refused. */
export const nothing = 0;

interface Item {
  kind: MapKind;
  /** Its key in the map. */
  key: string;
  /** Names it in the report. */
  what: string;
  checkpoint: number;
}

/**
 * Stores one thing in a transaction of its own, and returns its id. What the server refuses is left out, and the report
 * says why.
 */
export async function storeOne(
  run: Import,
  { kind, key, what, checkpoint }: Item,
  store: (tx: Tx, report: Report) => Promise<number>,
): Promise<number> {
  try {
    return await run.batch("import a setting", checkpoint, async (tx, report) => {
      const id = await store(tx, report);
      await remember(tx, run, kind, [[key, id]]);
      report.imported.settings++;
      return id;
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return run.batch("leave out a setting", checkpoint, async (tx, report) => {
      await remember(tx, run, kind, [[key, nothing]]);
      remarkInto(report, `Left out: ${what}. ${error.message}`);
      return nothing;
    });
  }
}
