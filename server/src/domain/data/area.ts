/** An organization's data as a whole: exports, imports, retention, deletion and merged accounts. */
import { listHostsInDirectory } from "./cells/list-hosts.ts";
import { deleteRealm } from "./deletion/jobs.ts";
import { exportEndpoints } from "./exports/endpoints.ts";
import { failLostExports, makeExport } from "./exports/jobs.ts";
import { exportPages } from "./exports/pages.ts";
import { importEndpoints } from "./imports/in-browser/endpoints.ts";
import { inspectUploaded, runUploaded, sweepImports } from "./imports/in-browser/jobs.ts";
import { sweepMerged } from "./merge/jobs.ts";
import { applyRetention } from "./retention/jobs.ts";
import type { Area } from "../../area.ts";

export const data: Area = {
  endpoints: [...exportEndpoints, ...importEndpoints],
  pages: (ctx) => [...exportPages(ctx)],
  jobs: [
    applyRetention,
    makeExport,
    failLostExports,
    inspectUploaded,
    runUploaded,
    sweepImports,
    deleteRealm,
    sweepMerged,
  ],
  chores: [listHostsInDirectory],
};
