/** Sets of channels that newcomers can choose. Channels that every newcomer gets here cannot be in one. */
import { sql } from "kysely";
import { lockDefaultChannels } from "../../../../channels/default-channels/access.ts";
import { addGroup } from "../../../../channels/default-channels/groups.ts";
import type { SourceExtras } from "../../source.ts";
import type { Import } from "../import-context.ts";
import { recall } from "../map.ts";
import { storeOne } from "./store-one.ts";

export async function storeChannelSets(run: Import, extras: SourceExtras, checkpoint: number): Promise<void> {
  const known = await recall(run.db, run, "channel set");
  const ids = await recall(run.db, run, "channel");
  for await (const { name, description, channels } of extras.channelSets?.() ?? []) {
    if (known.has(name)) continue;
    const item = { kind: "channel set", key: name, what: `the set of channels ${name}`, checkpoint } as const;
    await storeOne(run, item, async (tx) => {
      await lockDefaultChannels(tx, run.realmId);
      const wanted = channels.flatMap((channel) => ids.get(channel) ?? []);
      const { rows } = await sql<{ id: number }>`
        select id from channels where realm_id = ${run.realmId} and id = any(${wanted}::bigint[]) and not is_default
        order by id`.execute(tx);
      return addGroup(tx, run.realmId, { name, description, channels: rows });
    });
  }
}
