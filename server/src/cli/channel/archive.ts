import { setArchived } from "../../domain/administration/channels/archive.ts";
import { auditedCommand } from "../../domain/organization/audit/audited.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findOrganization, realmOption } from "../accounts.ts";
import { findChannel } from "../channels.ts";
import { command } from "../command.ts";
import { txContext } from "../context.ts";
import { withDatabase } from "../database.ts";

const declared = {
  args: ["CHANNEL"],
  options: { realm: realmOption },
  details: ["CHANNEL is a name or an ID."],
} as const;

export const channelArchive = command({
  ...declared,
  run: async ({ args: [name = ""], options, answer }) => {
    const channel = await change(name, options.realm, true);
    answer({ channel_id: channel.id, is_archived: true }, `${channel.name} is archived.`);
  },
});

export const channelUnarchive = command({
  ...declared,
  run: async ({ args: [name = ""], options, answer }) => {
    const channel = await change(name, options.realm, false);
    answer({ channel_id: channel.id, is_archived: false }, `${channel.name} is active again.`);
  },
});

const change = (name: string, shortName: string | undefined, isArchived: boolean) =>
  withDatabase(async (db, config) => {
    const realm = await findOrganization(db, shortName);
    const channel = await findChannel(db, realm, name);
    const title = isArchived ? "archive channel" : "unarchive channel";
    const action = isArchived ? "channel.archive" : "channel.unarchive";
    await transaction(db, title, (tx) =>
      auditedCommand(tx, realm, { kind: "channel", id: channel.id, action }, () =>
        setArchived(tx, txContext(config), realm, channel.id, isArchived),
      ),
    );
    return channel;
  });
