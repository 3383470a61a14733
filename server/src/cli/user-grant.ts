import { findAccount, findOrganization, realmOption } from "./accounts.ts";
import { command, UsageError } from "./command.ts";
import { withDatabase } from "./database.ts";

const flags = ["can_create_users", "can_change_user_emails"] as const;

export const userGrant = command({
  args: ["EMAIL", "RIGHT"],
  options: { revoke: { type: "boolean", description: "Take the right away." }, realm: realmOption },
  run: async ({ args: [email = "", right = ""], options, answer }) => {
    const flag = flags.find((known) => known === right);
    if (!flag) throw new UsageError(`There is no right ${right}; there are: ${flags.join(", ")}.`);
    const isHeld = !options.revoke;
    const account = await withDatabase(async (db) => {
      const found = await findAccount(db, await findOrganization(db, options.realm), email);
      await db
        .updateTable("users")
        .set({ [flag]: isHeld })
        .where("id", "=", found.id)
        .execute();
      return found;
    });
    answer(
      { user_id: account.id, [flag]: isHeld },
      `${account.full_name} ${isHeld ? "has" : "no longer has"} the right ${flag}.`,
    );
  },
});
