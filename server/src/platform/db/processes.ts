/**
 * The server processes that use a database, by the name of their connections. Until release 0.1.0 the name did not contain
 * the release.
 */
import type pg from "pg";
import { compareReleases } from "../release.ts";

export interface ConnectedProcess {
  name: string;
  release: string;
}

/** The beginning of the name, before the name of the node. */
export const processName = (release: string, node: string): string => `skein/${release} ${node}`;

const releaseBeforeNames = "0.1.0";

/** An api process without requests may have no connection at the moment, so this can miss one. */
export async function connectedProcesses(client: pg.ClientBase): Promise<ConnectedProcess[]> {
  const { rows } = await client.query<{ release: string | null; name: string }>(`
    select distinct found[1] as release, found[2] as name
    from pg_stat_activity, regexp_match(application_name, '^skein(?:/(\\S+))? (.*?) \\(up to \\d+\\)$') as found
    where datname = current_database() and found is not null order by name`);
  return rows.map(({ name, release }) => ({ name, release: release ?? releaseBeforeNames }));
}

export async function olderProcesses(client: pg.ClientBase, thanRelease: string): Promise<ConnectedProcess[]> {
  const processes = await connectedProcesses(client);
  return processes.filter((process) => compareReleases(process.release, thanRelease) < 0);
}
