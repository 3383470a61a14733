import { auditedCommand } from "../../domain/organization/audit/audited.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findAccount, findOrganization, realmOption, userArgument, userDetails } from "../accounts.ts";
import { command, UsageError } from "../command.ts";
import { withDatabase } from "../database.ts";

const flags = ["can_create_users", "can_change_user_emails"] as const;

export const userGrant = command({
  args: [userArgument, "PERMISSION"],
  options: { revoke: { type: "boolean", description: "Revoke the permission." }, realm: realmOption },
  details: [userDetails],
  run: async ({ args: [email = "", permission = ""], options, answer }) => {
    const flag = flags.find((known) => known === permission);
    if (!flag) throw new UsageError(`Unknown permission ${permission}. Choose one of: ${flags.join(", ")}.`);
    const isGranted = !options.revoke;
    const account = await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      const found = await findAccount(db, realm, email);
      const kind = found.is_bot ? "bot" : "user";
      await transaction(db, "grant permission", (tx) =>
        auditedCommand(tx, realm, { kind, id: found.id, action: `${kind}.update` }, () =>
          tx
            .updateTable("users")
            .set({ [flag]: isGranted })
            .where("id", "=", found.id)
            .execute(),
        ),
      );
      return found;
    });
    answer(
      { user_id: account.id, [flag]: isGranted },
      `${account.full_name} ${isGranted ? "now has" : "no longer has"} the permission ${flag}.`,
    );
  },
});
