import * as api from "@skein/api/imports.ts";
import { ApiError } from "../../../../errors.ts";
import { handle, type BoundEndpoint } from "../../../../http/handle.ts";
import { transaction } from "../../../../platform/db/transaction.ts";
import { toMarkdown } from "../run/report.ts";
import { accessImport, accessImports } from "./access.ts";
import { beginInspection, beginRun, cancelImport, maxImportBytes, startImport } from "./actions.ts";
import { daysKept } from "./jobs.ts";
import { updatePlan } from "./plan.ts";
import { listImports, listPlannedChannels, listPlannedPeople, toImport } from "./queries.ts";
import { audited } from "../../../organization/audit/audited.ts";

export const importEndpoints: BoundEndpoint[] = [
  handle(api.getImports, async ({ ctx, user }) => {
    accessImports(user);
    const imports = await listImports(ctx.db, user.realm_id);
    return { imports, max_bytes: maxImportBytes(ctx.config), days_kept: daysKept };
  }),

  handle(api.createImport, ({ ctx, user, params, request }) =>
    transaction(ctx.db, "start an import", (tx) =>
      audited(tx, { user, request }, { kind: "import", id: ({ id }) => id, action: "import.create" }, () =>
        startImport(tx, ctx.config, user, params),
      ),
    ),
  ),

  handle(api.inspectImport, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "inspect an import", (tx) =>
      audited(tx, { user, request }, { kind: "import", id: params.import_id, action: "import.inspect" }, () =>
        beginInspection(tx, user, params.import_id),
      ),
    );
    return {};
  }),

  handle(api.getImportPlan, async ({ ctx, user, params: { import_id, after } }) => {
    const { id, plan_revision } = await accessImport(ctx.db, user, import_id);
    const people = await listPlannedPeople(ctx.db, id, after);
    const channels = await listPlannedChannels(ctx.db, id, after);
    return { people, channels, plan_revision, is_last: Math.max(people.length, channels.length) < api.maxPlanRows };
  }),

  handle(api.updateImportPlan, ({ ctx, user, params, request }) =>
    transaction(ctx.db, "change the plan of an import", (tx) =>
      audited(tx, { user, request }, { kind: "import", id: params.import_id, action: "import.update" }, () =>
        updatePlan(tx, user, params),
      ),
    ),
  ),

  handle(api.runImport, async ({ ctx, user, params: { import_id, fetch_files }, request }) => {
    await transaction(ctx.db, "run an import", (tx) =>
      audited(tx, { user, request }, { kind: "import", id: import_id, action: "import.run" }, () =>
        beginRun(tx, user, import_id, fetch_files),
      ),
    );
    return {};
  }),

  handle(api.cancelImport, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "cancel an import", (tx) =>
      audited(tx, { user, request }, { kind: "import", id: params.import_id, action: "import.cancel" }, () =>
        cancelImport(tx, user, params.import_id),
      ),
    );
    return {};
  }),

  handle(api.getImportReport, async ({ ctx, user, params }) => {
    const row = await accessImport(ctx.db, user, params.import_id);
    const { report, inspection } = toImport(row);
    if (!report) throw new ApiError("This import is not finished.");
    const names = { source: inspection?.source ?? row.file_name, realm: user.realm.name };
    return { report, markdown: toMarkdown(report, names) };
  }),
];
