import { countJobs, jobStates, listJobs } from "../../jobs/administration.ts";
import { command, table, UsageError } from "../command.ts";
import { withDatabase } from "../database.ts";
import { formatTime } from "../format.ts";

const states = jobStates.join(", ");

export const jobsList = command({
  options: {
    kind: { type: "string", value: "KIND", description: "List the jobs of this kind one by one." },
    state: { type: "string", value: "STATE", description: `List the jobs in this state one by one: ${states}.` },
    limit: { type: "number", value: "N", default: 100, range: [1, 100_000], description: "How many jobs to list." },
  },
  details: [
    "Without options: how many jobs of each kind there are by state, and how long the oldest one that is due has waited. A " +
      "failed job was given up after its last attempt; `skein jobs retry` gives it new ones. Finished jobs are not kept.",
  ],
  run: async ({ options: { kind, state, limit }, answer }) => {
    const known = jobStates.find((each) => each === state);
    if (state !== undefined && !known) throw new UsageError(`Unknown state ${state}. Choose one of: ${states}.`);
    await withDatabase(async (db) => {
      if (kind === undefined && known === undefined) {
        const kinds = await countJobs(db);
        const rows = kinds.map((row) => [
          row.kind,
          ...jobStates.map((each) => String(row[each])),
          row.oldest_due_seconds === null ? "" : `${row.oldest_due_seconds} s`,
        ]);
        const header = ["KIND", ...jobStates.map((each) => each.toUpperCase()), "OLDEST DUE"];
        answer(kinds, kinds.length === 0 ? "There are no jobs." : table([header, ...rows]));
        return;
      }
      const filter = { ...(kind === undefined ? {} : { kind }), ...(known === undefined ? {} : { state: known }) };
      const jobs = await listJobs(db, filter, limit);
      const rows = jobs.map((job) => [
        String(job.id),
        job.kind,
        job.state,
        `${job.attempts}/${job.max_attempts}`,
        formatTime(job.run_at),
        (job.last_error ?? "").split("\n")[0]?.slice(0, 100) ?? "",
      ]);
      const header = ["ID", "KIND", "STATE", "ATTEMPTS", "NEXT RUN", "LAST ERROR"];
      answer(jobs, jobs.length === 0 ? "There are no such jobs." : table([header, ...rows]));
    });
  },
});
