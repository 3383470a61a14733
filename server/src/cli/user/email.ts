import { updateEmail } from "../../domain/administration/users/update.ts";
import { auditedCommand } from "../../domain/organization/audit/audited.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findAccount, findOrganization, realmOption, userArgument, userDetails } from "../accounts.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";

export const userEmail = command({
  args: [userArgument, "NEW_ADDRESS"],
  options: { realm: realmOption },
  details: [userDetails, "The user signs in with the new address from now on. It is not confirmed by mail."],
  examples: ["skein user email gertrude@example.com queen@example.com"],
  run: async ({ args: [who = "", address = ""], options, answer }) => {
    const account = await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      const found = await findAccount(db, realm, who);
      const kind = found.is_bot ? "bot" : "user";
      await transaction(db, "change e-mail address", (tx) =>
        auditedCommand(tx, realm, { kind, id: found.id, action: `${kind}.update` }, () =>
          updateEmail(tx, realm, found.id, address),
        ),
      );
      return found;
    });
    answer({ user_id: account.id, email: address }, `${account.full_name} now has the e-mail address ${address}.`);
  },
});
