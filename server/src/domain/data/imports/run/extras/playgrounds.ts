import type { SourceExtras } from "../../source.ts";
import { addPlayground } from "../../../../organization/playgrounds/actions.ts";
import { listPlaygrounds } from "../../../../organization/playgrounds/queries.ts";
import type { Import } from "../import-context.ts";
import { recall } from "../map.ts";
import { storeOne } from "./store-one.ts";

const keyOf = (language: string, name: string): string => `${language}/${name}`;

/** One that the organization has already, by language and name, stays as it is. */
export async function storePlaygrounds(run: Import, extras: SourceExtras, checkpoint: number): Promise<void> {
  const known = await recall(run.db, run, "playground");
  const existing = await listPlaygrounds(run.db, run.realmId);
  const taken = new Set(existing.map(({ pygments_language, name }) => keyOf(pygments_language, name)));
  for await (const { name, language, urlTemplate } of extras.playgrounds?.() ?? []) {
    const key = keyOf(language, name);
    if (known.has(key) || taken.has(key)) continue;
    await storeOne(run, { kind: "playground", key, what: `the playground ${name}`, checkpoint }, (tx) =>
      addPlayground(tx, run.owner, { name, pygments_language: language, url_template: urlTemplate }),
    );
  }
}
