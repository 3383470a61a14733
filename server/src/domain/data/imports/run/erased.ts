/**
 * People whose accounts were erased here. Of them the map keeps only a hash of their id in the source, so that a later import
 * of the same export brings neither them nor their texts back. What others wrote to them or about them stays.
 */
import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Db } from "../../../../platform/db/connect.ts";
import type { SourceMessage, SourcePerson } from "../source.ts";
import type { Import } from "./import-context.ts";
import { recall } from "./map.ts";

/** What the map knows an erased person by. */
export const erasedKey = (realmId: number, source: string, sourceId: string): string =>
  createHash("sha256").update(`${realmId}\n${source}\n${sourceId}`).digest("base64url");

/** Their accounts here, as far as the export mentions them. */
export type FindErased = (sourceId: string) => number | undefined;

export async function loadErased(run: Import): Promise<FindErased> {
  const { realmId, source } = run;
  const ids = await recall(run.db, run, "erased");
  return (sourceId) => (ids.size === 0 ? undefined : ids.get(erasedKey(realmId, source.name, sourceId)));
}

/** A person of whom only the id is staged. */
export interface StagedPersonData extends SourcePerson {
  erasedId?: number;
}

export const toErasedPerson = ({ id, kind }: SourcePerson, erasedId: number): StagedPersonData => ({
  id,
  kind,
  name: "",
  role: 400,
  isActive: false,
  isListed: false,
  erasedId,
});

/** It stays among the staged messages, since replies may refer to it, and is not stored. */
export const withoutContent = ({
  id,
  channelId,
  directId,
  senderId,
  at,
  threadId,
  threadAt,
}: SourceMessage): SourceMessage => ({
  id,
  ...(channelId === undefined ? {} : { channelId }),
  ...(directId === undefined ? {} : { directId }),
  senderId,
  at,
  text: [],
  ...(threadId === undefined ? {} : { threadId }),
  ...(threadAt === undefined ? {} : { threadAt }),
});

/** Our ids of erased people by those of the source. */
export async function listErased(db: Db, { realmId }: Pick<Import, "realmId">): Promise<Map<string, number>> {
  const { rows } = await sql<{ source_id: string; id: number }>`
    select source_id, (data->>'erasedId')::bigint as id from import_people
    where realm_id = ${realmId} and data->'erasedId' is not null`.execute(db);
  return new Map(rows.map(({ source_id, id }) => [source_id, id]));
}
