/** The jobs of imports, for code that stores them. Each may run again: jobs.ts says what it does then. */
import { z } from "zod";
import { enqueue, type JobName } from "../../../../jobs/job.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";

const payload = z.object({ id: z.int() });

export const inspectName: JobName<{ id: number }> = {
  name: "inspect-import",
  payload,
  maxAttempts: 3,
  queue: () => "import-inspections",
};

export const runName: JobName<{ id: number; fetches_files?: boolean | undefined }> = {
  name: "run-import",
  payload: payload.extend({ fetches_files: z.boolean().optional() }),
  maxAttempts: 8,
  // One at a time: each keeps a core busy.
  queue: () => "imports",
};

export const enqueueInspection = (tx: Tx, id: number): Promise<void> =>
  enqueue(tx, inspectName, { id }, { key: `import-${id}` });

export const enqueueRun = (tx: Tx, id: number, fetches_files: boolean): Promise<void> =>
  enqueue(tx, runName, { id, fetches_files }, { key: `import-${id}` });
