/** An organization's data as a whole: exports, retention and deletion. */
import { deleteRealm } from "./deletion/jobs.ts";
import { exportEndpoints } from "./exports/endpoints.ts";
import { failLostExports, makeExport } from "./exports/jobs.ts";
import { exportPages } from "./exports/pages.ts";
import { applyRetention } from "./retention/jobs.ts";
import type { Area } from "../../area.ts";

export const data: Area = {
  endpoints: [...exportEndpoints],
  pages: (ctx) => [...exportPages(ctx)],
  jobs: [applyRetention, makeExport, failLostExports, deleteRealm],
};
