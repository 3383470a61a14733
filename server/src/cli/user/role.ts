import { updateRole } from "../../domain/administration/users/role.ts";
import { auditedCommand } from "../../domain/organization/audit/audited.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findAccount, findOrganization, readRole, realmOption, userArgument, userDetails } from "../accounts.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";

export const userRole = command({
  args: [userArgument, "ROLE"],
  options: { realm: realmOption },
  details: [userDetails],
  run: async ({ args: [email = "", name = ""], options, answer }) => {
    const role = readRole(name);
    const account = await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      const found = await findAccount(db, realm, email);
      const kind = found.is_bot ? "bot" : "user";
      await transaction(db, "change role", (tx) =>
        auditedCommand(tx, realm, { kind, id: found.id, action: `${kind}.update_role` }, () =>
          updateRole(tx, realm, found.id, role),
        ),
      );
      return found;
    });
    answer({ user_id: account.id, role }, `${account.full_name} now has the role ${name}.`);
  },
});
