import { readStatistics } from "../domain/data/statistics/server.ts";
import { findOrganization } from "./accounts.ts";
import { command, table } from "./command.ts";
import { withDatabase } from "./database.ts";
import { fields, formatBytes } from "./format.ts";

export const stats = command({
  options: {
    realm: {
      type: "string",
      value: "SHORT_NAME",
      description: "Only this organization. Without it, the whole server.",
    },
    days: {
      type: "number",
      value: "N",
      default: 7,
      range: [1, 366],
      description: "For how many days to count messages, today included.",
    },
  },
  details: ["Counting messages reads all of them once, which can take some seconds on a large server."],
  run: async ({ options: { realm: shortName, days }, answer }) => {
    const figures = await withDatabase(async (db) => {
      const realm = shortName === undefined ? undefined : await findOrganization(db, shortName);
      return readStatistics(db, { days, ...(realm ? { realmId: realm.id } : {}) });
    });
    const { active } = figures;
    const lines = fields({
      organizations: shortName === undefined ? figures.organizations : undefined,
      people: figures.people,
      "seen in the last day": active.day,
      "… 7 days": active.week,
      "… 30 days": active.month,
      bots: figures.bots,
      "deactivated accounts": figures.deactivated_accounts,
      messages: figures.messages,
      ...Object.fromEntries(figures.messages_per_day.map(({ day, messages }) => [`… on ${day}`, messages])),
      files: `${figures.files}, ${formatBytes(figures.file_bytes)}`,
      database: formatBytes(figures.database_bytes),
    });
    answer(figures, table(lines));
  },
});
