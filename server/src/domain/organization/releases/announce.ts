/**
 * Notifies the clients of every organization, exactly once, when another release takes over. The last announced release
 * is stored in the transaction that emits the event, so it does not matter which node starts first or whether it is
 * killed meanwhile. A restart of the same release is not announced: event queues survive it.
 */
import { featureLevel, mergeBase, serverVersion } from "@skein/api/server-settings.ts";
import { sql } from "kysely";
import { z } from "zod";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import { enqueue, job } from "../../../jobs/job.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { release } from "../../../platform/release.ts";

/** Describes a release. A worker of the previous release may run the job, so the payload carries everything. */
const announcement = z.object({
  release: z.string(),
  immediate: z.boolean(),
  version: z.string(),
  mergeBase: z.string(),
  featureLevel: z.int(),
});
export type Announcement = z.output<typeof announcement>;

export const announceRelease = job({
  name: "announce-release",
  payload: announcement,
  queue: () => "announce-release",
  run: async ({ db }, given) => {
    for (const realmId of await listRealmsToNotify(db, given.release))
      await transaction(db, "announce release", (tx) => announceTo(tx, realmId, given));
  },
});

/** `immediate`: clients reload at once instead of choosing a moment. */
export const ownAnnouncement = (immediate: boolean): Announcement => ({
  release,
  immediate,
  version: serverVersion,
  mergeBase,
  featureLevel,
});

/** Every node calls this when it starts. */
export const announceOwnRelease = (db: Db, immediate: boolean): Promise<void> =>
  transaction(db, "plan announcement of release", (tx) =>
    enqueue(tx, announceRelease, ownAnnouncement(immediate), { key: `announce-release-${release}` }),
  );

async function listRealmsToNotify(db: Db, newRelease: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select r.id from realms r left join server_generations g on g.realm_id = r.id
    where not r.deactivated and g.release is distinct from ${newRelease} order by r.id`.execute(db);
  return rows.map((row) => row.id);
}

/** Notifies an organization unless it has been notified already. A generation number is never reused. */
export async function announceTo(tx: Tx, realmId: number, given: Announcement): Promise<void> {
  const { rows } = await sql<{ generation: number }>`
    insert into server_generations (realm_id, release) values (${realmId}, ${given.release})
    on conflict (realm_id) do update set release = excluded.release,
      generation = greatest(excluded.generation, server_generations.generation + 1)
    where server_generations.release <> excluded.release
    returning generation`.execute(tx);
  const [updated] = rows;
  if (!updated) return;
  emit(tx, realmId, toEveryone, {
    type: "restart",
    zulip_version: given.version,
    zulip_merge_base: given.mergeBase,
    zulip_feature_level: given.featureLevel,
    server_generation: updated.generation,
  });
  emit(tx, realmId, toEveryone, { type: "web_reload_client", immediate: given.immediate });
}
