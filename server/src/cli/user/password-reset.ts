import { createOperatorResetLink } from "../../domain/joining/sign-in/password-reset.ts";
import { byOperator, lockHead, record } from "../../domain/organization/audit/record.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findAccount, findOrganization, realmOption, userArgument, userDetails } from "../accounts.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";

export const userPasswordReset = command({
  args: [userArgument],
  options: {
    "print-link": { type: "boolean", description: "Print the link instead of mailing it. Whoever has it can sign in." },
    realm: realmOption,
  },
  details: [
    userDetails,
    "The link works once and expires in 24 hours. Until it is used, the old password stays valid; afterwards all browsers " +
      "are signed out. Links need SKEIN_EXTERNAL_URL.",
  ],
  run: async ({ args: [who = ""], options, answer }) => {
    const isMailed = !options["print-link"];
    const { account, link } = await withDatabase(async (db, config) => {
      if (isMailed && config.smtpUrl === "")
        throw new Error("Mail is not configured (SKEIN_SMTP_URL). Use --print-link and hand the link over yourself.");
      const realm = await findOrganization(db, options.realm);
      const found = await findAccount(db, realm, who);
      const url = await transaction(db, "reset password by operator", async (tx) => {
        await lockHead(tx, realm.id);
        const made = await createOperatorResetLink(tx, { config }, realm, found, { isMailed });
        const target = { kind: "user", id: found.id } as const;
        await record(tx, realm.id, byOperator, {
          action: "user.reset_password",
          target,
          after: { is_mailed: isMailed },
        });
        return made;
      });
      return { account: found, link: url };
    });
    const { id, delivery_email } = account;
    if (isMailed) answer({ user_id: id, mailed_to: delivery_email }, `Mailed a link to ${delivery_email}.`);
    else answer({ user_id: id, link }, link);
  },
});
