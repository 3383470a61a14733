import { listChannels } from "../../domain/data/statistics/channels.ts";
import { findOrganization, realmOption } from "../accounts.ts";
import { command, table } from "../command.ts";
import { withDatabase } from "../database.ts";
import { formatTime } from "../format.ts";

export const channelList = command({
  options: {
    archived: { type: "boolean", description: "Only archived channels. Without it, only active ones are listed." },
    realm: realmOption,
  },
  run: async ({ options, answer }) => {
    const channels = await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      return listChannels(db, realm.id, { isArchived: options.archived });
    });
    const rows = channels.map((channel) => [
      String(channel.id),
      channel.privacy,
      String(channel.subscribers),
      channel.message_retention_days === null ? "default" : `${channel.message_retention_days} days`,
      formatTime(channel.newest_message_at),
      channel.name,
    ]);
    const header = ["ID", "PRIVACY", "SUBSCRIBERS", "RETENTION", "LAST MESSAGE", "NAME"];
    answer(channels, channels.length === 0 ? "There is no such channel." : table([header, ...rows]));
  },
});
