import type { SourceExtras } from "../../source.ts";
import { addLinkifier } from "../../../../organization/linkifiers/actions.ts";
import { listLinkifiers } from "../../../../organization/linkifiers/queries.ts";
import type { Import } from "../import-context.ts";
import { recall } from "../map.ts";
import { storeOne } from "./store-one.ts";

/** One whose pattern the organization has already stays as it is. */
export async function storeLinkifiers(run: Import, extras: SourceExtras, checkpoint: number): Promise<void> {
  const { db, realmId, owner } = run;
  const known = await recall(db, run, "linkifier");
  const taken = new Set((await listLinkifiers(db, realmId)).map(({ pattern }) => pattern));
  for await (const { pattern, urlTemplate } of extras.linkifiers()) {
    if (known.has(pattern) || taken.has(pattern.trim())) continue;
    taken.add(pattern.trim());
    await storeOne(run, { kind: "linkifier", key: pattern, what: `the linkifier ${pattern}`, checkpoint }, (tx) =>
      addLinkifier(tx, owner, { pattern, url_template: urlTemplate }),
    );
  }
}
