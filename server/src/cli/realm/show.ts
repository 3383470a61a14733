import { showRealm } from "../../domain/data/statistics/realms.ts";
import { realmUrlWithoutRequest } from "../../domain/organization/realm/address.ts";
import { findOrganization, realmOption } from "../accounts.ts";
import { command, table } from "../command.ts";
import { withDatabase } from "../database.ts";
import { fields, formatBytes, formatTime } from "../format.ts";

export const realmShow = command({
  options: { realm: realmOption },
  run: async ({ options, answer }) => {
    const shown = await withDatabase(async (db, config) => {
      const realm = await findOrganization(db, options.realm);
      return { ...(await showRealm(db, realm.id)), url: realmUrlWithoutRequest(config, realm) };
    });
    const people = Object.entries(shown.roles).map(([role, count]) => `${role} ${count}`);
    const lines = fields({
      ID: shown.id,
      name: shown.name,
      "short name": shown.string_id === "" ? "(empty)" : shown.string_id,
      host: shown.host ?? "(any that no other organization has)",
      URL: shown.url,
      state: shown.state,
      "rows deleted": shown.rows_deleted ?? undefined,
      created: formatTime(shown.date_created),
      people: `${shown.people} (${people.join(", ")})`,
      bots: shown.bots,
      "deactivated accounts": shown.deactivated_accounts,
      channels: `${shown.channels} (${shown.archived_channels} more are archived)`,
      messages: `${shown.messages}, the newest ${formatTime(shown.newest_message_at)}`,
      retention: shown.message_retention_days === null ? "forever" : `${shown.message_retention_days} days`,
      files: `${shown.files}, ${formatBytes(shown.file_bytes)}`,
    });
    answer(shown, table(lines));
  },
});
