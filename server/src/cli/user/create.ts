import { randomInt } from "node:crypto";
import { greetLater } from "../../domain/joining/accounts/jobs.ts";
import { checkPassword, hashPassword } from "../../domain/people/auth/passwords.ts";
import { addUser } from "../../domain/administration/users/actions.ts";
import { isEmail } from "../../domain/base/email-address.ts";
import { checkFullName } from "../../domain/people/users/full-name.ts";
import { enqueue } from "../../jobs/job.ts";
import { auditedCommand } from "../../domain/organization/audit/audited.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findOrganization, readRole, realmOption, roleNames } from "../accounts.ts";
import { command, UsageError } from "../command.ts";
import { withDatabase } from "../database.ts";

export const userCreate = command({
  args: ["EMAIL"],
  options: {
    name: { type: "string", value: "NAME", required: true, description: "The full name, as other users see it." },
    role: { type: "string", value: "ROLE", default: "member", description: `One of ${roleNames}.` },
    password: { type: "string", description: "Without it, a random password is generated and printed." },
    realm: realmOption,
  },
  run: async ({ args: [email = ""], options, answer }) => {
    if (!isEmail(email)) throw new UsageError(`${email} is not a valid e-mail address.`);
    const full_name = checkFullName(options.name);
    const role = readRole(options.role);
    const password = options.password ?? randomPassword();
    await checkPassword(password, [email, full_name]);
    const password_hash = await hashPassword(password);
    const user = await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      return transaction(db, "create user", async (tx) => {
        const what = { kind: "user", id: (made: { id: number }) => made.id, action: "user.create" } as const;
        const made = await auditedCommand(tx, realm, what, () =>
          addUser(tx, realm, { email, full_name, password_hash, role }),
        );
        await enqueue(tx, greetLater, { userId: made.id });
        return made;
      });
    });
    const shown = options.password === undefined ? { password } : {};
    answer(
      { user_id: user.id, email, ...shown },
      `Created ${full_name} (${options.role}, ID ${user.id}).${shown.password ? ` Password: ${password}` : ""}`,
    );
  },
});

/** Leaves out characters that are easily confused. */
const readable = "abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";

const randomPassword = () => Array.from({ length: 20 }, () => readable[randomInt(readable.length)]).join("");
