import { setTimeout as wait } from "node:timers/promises";
import { entriesAfter, listEntries, verifyLog } from "../../domain/organization/audit/queries.ts";
import { findOrganization, realmOption } from "../accounts.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";

const everyMilliseconds = 1000;
const batch = 1000;

export const auditTail = command({
  options: {
    lines: {
      type: "number",
      value: "N",
      range: [0, 1000],
      default: 10,
      description: "How many of the newest entries.",
    },
    after: {
      type: "number",
      value: "ID",
      range: [0, Number.MAX_SAFE_INTEGER],
      description: "All entries after this one instead; 0 for the whole log.",
    },
    follow: { type: "boolean", description: "Go on with new entries as they are written, until interrupted." },
    realm: realmOption,
  },
  details: [
    "Prints one entry per line as JSON, the oldest first, in the form of GET /audit_log. Redirect it to a file to export the log, " +
      "and remember the last ID to go on from there.",
  ],
  examples: ["skein audit tail --after 0 > audit.jsonl", "skein audit tail --follow | logger --tag skein-audit"],
  run: async ({ options }) => {
    await withDatabase(async (db) => {
      const { id: realmId } = await findOrganization(db, options.realm);
      const print = (entry: object) => process.stdout.write(`${JSON.stringify(entry)}\n`);
      let last = options.after ?? 0;
      if (options.after === undefined) {
        const { entries } = await listEntries(db, realmId, {}, Math.max(options.lines, 1));
        last = entries[0]?.id ?? 0;
        if (options.lines > 0) for (const entry of entries.toReversed()) print(entry);
      }
      while (options.after !== undefined || options.follow) {
        const entries = await entriesAfter(db, realmId, last, batch);
        for (const entry of entries) print(entry);
        last = entries.at(-1)?.id ?? last;
        if (entries.length === batch) continue;
        if (!options.follow) return;
        await wait(everyMilliseconds);
      }
    });
  },
});

export const auditVerify = command({
  options: { realm: realmOption },
  details: [
    "Checks that the entries are numbered without gaps, that each contains the hash of the one before it, and that none was " +
      "changed. Keep the printed hash somewhere else: whoever can write to the database could also write a whole new log, " +
      "but not one with the same hash. The exit code is 1 if something does not fit.",
  ],
  run: async ({ options, answer }) => {
    await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      const { entries, head, broken } = await verifyLog(db, realm.id);
      if (broken) process.exitCode = 1;
      const text = broken
        ? `Entry ${broken.id} of the audit log of ${realm.name} does not fit: ${broken.reason}. ${entries} entries before it do.`
        : `All ${entries} entries of the audit log of ${realm.name} fit. The newest has the hash ${head}.`;
      answer({ entries, head, ok: broken === undefined, broken: broken ?? null }, text);
    });
  },
});
