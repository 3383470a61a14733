/**
 * When another release takes over, every organization's clients hear of it, once, whichever node starts first and however
 * often it is killed meanwhile: what was told last is stored with the telling. That a node of the same release starts
 * again is nobody's business: queues go on where they were.
 */
import { featureLevel, mergeBase, serverVersion } from "@skein/api/server-settings.ts";
import { sql } from "kysely";
import { z } from "zod";
import { toEveryone } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import { enqueue, job } from "../../jobs/job.ts";
import type { Db } from "../../platform/db/connect.ts";
import { transaction, type Tx } from "../../platform/db/transaction.ts";
import { release } from "./release.ts";

/** What a release says of itself. A worker of the release before may be the one who passes it on. */
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
    for (const realmId of await listUnaware(db, given.release))
      await transaction(db, "announce release", (tx) => announceTo(tx, realmId, given));
  },
});

/** `immediate`: clients need not wait for a moment of their own. */
export const ownAnnouncement = (immediate: boolean): Announcement => ({
  release,
  immediate,
  version: serverVersion,
  mergeBase,
  featureLevel,
});

/** To be called by every node that starts. */
export const announceOwnRelease = (db: Db, immediate: boolean): Promise<void> =>
  transaction(db, "plan announcement of release", (tx) =>
    enqueue(tx, announceRelease, ownAnnouncement(immediate), { key: `announce-release-${release}` }),
  );

async function listUnaware(db: Db, of: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select r.id from realms r left join server_generations g on g.realm_id = r.id
    where not r.deactivated and g.release is distinct from ${of} order by r.id`.execute(db);
  return rows.map((row) => row.id);
}

/** Tells an organization that has not been told yet. A generation is never one there was before. */
export async function announceTo(tx: Tx, realmId: number, given: Announcement): Promise<void> {
  const { rows } = await sql<{ generation: number }>`
    insert into server_generations (realm_id, release) values (${realmId}, ${given.release})
    on conflict (realm_id) do update set release = excluded.release,
      generation = greatest(excluded.generation, server_generations.generation + 1)
    where server_generations.release <> excluded.release
    returning generation`.execute(tx);
  const [told] = rows;
  if (!told) return;
  emit(tx, realmId, toEveryone, {
    type: "restart",
    zulip_version: given.version,
    zulip_merge_base: given.mergeBase,
    zulip_feature_level: given.featureLevel,
    server_generation: told.generation,
  });
  emit(tx, realmId, toEveryone, { type: "web_reload_client", immediate: given.immediate });
}
