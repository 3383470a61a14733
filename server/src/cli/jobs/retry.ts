import { retryJobs } from "../../jobs/administration.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { command, readIds, UsageError } from "../command.ts";
import { withDatabase } from "../database.ts";

export const jobsRetry = command({
  options: {
    ids: {
      type: "string",
      value: "IDS",
      description: "These jobs, separated by commas; also ones that wait for their time.",
    },
    kind: { type: "string", value: "KIND", description: "All failed jobs of this kind." },
    all: { type: "boolean", description: "All failed jobs." },
    retrying: { type: "boolean", description: "With --kind or --all: jobs that wait for their next attempt instead." },
  },
  details: ["The jobs are due at once, and get all their attempts again. Running jobs are left alone."],
  examples: ["skein jobs retry --kind send-mail", "skein jobs retry --ids 4711,4712"],
  run: async ({ options: { ids, kind, all, retrying }, answer }) => {
    const given = [ids !== undefined, kind !== undefined, all].filter(Boolean).length;
    if (given !== 1) throw new UsageError("Choose jobs with one of --ids, --kind or --all.");
    const state = retrying ? "retrying" : "failed";
    const chosen =
      ids === undefined ? ({ state, ...(kind === undefined ? {} : { kind }) } as const) : { ids: readIds("ids", ids) };
    const retried = await withDatabase((db) => transaction(db, "retry jobs", (tx) => retryJobs(tx, chosen)));
    answer({ retried }, retried.length === 0 ? "There are no such jobs." : `${retried.length} jobs are due now.`);
  },
});
