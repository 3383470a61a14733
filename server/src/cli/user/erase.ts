import { eraseUser, removeCopies } from "../../domain/data/erasure/erase.ts";
import { purgeMessages, type Purged } from "../../domain/data/purge/purge.ts";
import { byOperator, lockHead, record } from "../../domain/organization/audit/record.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findAccount, findOrganization, realmOption, userArgument, userDetails } from "../accounts.ts";
import { command, UsageError } from "../command.ts";
import { withDatabase } from "../database.ts";

export const userErase = command({
  args: [userArgument],
  options: {
    "delete-messages": { type: "boolean", description: "Also delete all messages the user sent, with their files." },
    confirm: { type: "string", value: "EMAIL", description: "The account's e-mail address, to confirm." },
    realm: realmOption,
  },
  details: [
    userDetails,
    "Removes the name, e-mail address, password, avatar, profile, status, settings, sessions, keys, devices, drafts, " +
      "scheduled messages, unsent files, subscriptions, groups, flags and read state. This cannot be undone. The account " +
      'stays, deactivated, as "Deleted user ID"; its bots are deactivated.',
    "Messages stay unless --delete-messages is given; run the command again if that is interrupted. What others wrote " +
      "stays, including mentions of the name. Copies in backups remain until those expire, and events for up to 7 days.",
  ],
  examples: ["skein user erase gertrude@example.com --confirm gertrude@example.com --delete-messages"],
  run: async ({ args: [who = ""], options, answer }) => {
    await withDatabase(async (db, config) => {
      const realm = await findOrganization(db, options.realm);
      const { id, full_name, delivery_email } = await findAccount(db, realm, who);
      if (options.confirm?.toLowerCase() !== delivery_email.toLowerCase())
        throw new UsageError(`This erases ${full_name}. To confirm, add: --confirm ${delivery_email}`);
      await transaction(db, "erase user", async (tx) => {
        await lockHead(tx, realm.id);
        await eraseUser(tx, config, realm, id);
        // Without the name and the address, which are to be forgotten.
        const target = { kind: "user", id } as const;
        const after = { deletes_messages: options["delete-messages"] };
        await record(tx, realm.id, byOperator, { action: "user.erase", target, after });
      });
      let purged: Purged | undefined;
      if (options["delete-messages"]) {
        purged = await purgeMessages(db, realm.id, { senderId: id }, ({ messages }) => {
          if (messages % 1000 === 0) process.stderr.write(`deleted ${messages} messages\n`);
        });
        await transaction(db, "remove copies of messages", (tx) => removeCopies(tx, realm, id));
      }
      const deleted = purged ? ` Deleted ${purged.messages} messages and ${purged.files} files.` : "";
      answer({ user_id: id, erased: true, ...purged }, `Erased ${full_name} (ID ${id}).${deleted}`);
    });
  },
});
