import { revokeKey } from "../../domain/administration/bots/api-key.ts";
import { listApiKeys, revokeApiKey, revokeApiKeys } from "../../domain/people/auth/api-keys.ts";
import {
  endBrowserSessionById,
  endBrowserSessions,
  listBrowserSessions,
} from "../../domain/people/auth/browser-sessions.ts";
import { byOperator, lockHead, record } from "../../domain/organization/audit/record.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findAccount, findOrganization, realmOption, userArgument, userDetails } from "../accounts.ts";
import { command, idRange, table } from "../command.ts";
import { withDatabase } from "../database.ts";
import { formatTime } from "../format.ts";

export const userSessions = command({
  args: [userArgument],
  options: {
    "revoke-session": {
      type: "number",
      value: "ID",
      range: idRange,
      description: "Sign out the browser with this ID.",
    },
    "revoke-key": { type: "number", value: "ID", range: idRange, description: "Revoke the API key with this ID." },
    "revoke-all": { type: "boolean", description: "Sign out all browsers and revoke all API keys." },
    realm: realmOption,
  },
  details: [
    userDetails,
    "Lists the browsers in which the user is signed in, and the API keys of apps and programs. What is revoked stops working " +
      "on all nodes at once; devices that were registered with it get no more notifications.",
  ],
  run: async ({ args: [who = ""], options, answer }) => {
    const { "revoke-session": session, "revoke-key": key, "revoke-all": all } = options;
    await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      const account = await findAccount(db, realm, who);
      const isChange = all || session !== undefined || key !== undefined;
      if (isChange)
        await transaction(db, "revoke sessions", async (tx) => {
          await lockHead(tx, realm.id);
          const user_id = account.id;
          const note = (kind: "session" | "api_key", id: number | null, before: Record<string, unknown>) =>
            record(tx, realm.id, byOperator, { action: `${kind}.delete`, target: { kind, id }, before });
          if (session !== undefined) {
            if (!(await endBrowserSessionById(tx, account, session)))
              throw new Error(`${account.full_name} has no session ${session}.`);
            await note("session", session, { user_id });
          }
          if (key !== undefined) {
            const name = await revokeApiKey(tx, account, key);
            if (name === undefined) throw new Error(`${account.full_name} has no API key ${key}.`);
            await note("api_key", key, { name, user_id });
          }
          if (!all) return;
          const sessions = await endBrowserSessions(tx, account);
          if (sessions.length > 0) await note("session", null, { user_id, sessions });
          const keys = await listApiKeys(tx, account);
          if (account.is_bot) await revokeKey(tx, account);
          else await revokeApiKeys(tx, account);
          if (keys.length > 0) await note("api_key", null, { user_id, api_keys: keys.map(({ id }) => id) });
        });
      const browsers = await listBrowserSessions(db, account);
      const keys = await listApiKeys(db, account);
      const rows = [
        ...browsers.map((row) => [
          `session ${row.id}`,
          `browser, last used ${formatTime(row.last_used_at)}, since ${formatTime(row.created_at)}`,
        ]),
        ...keys.map((row) => [`key ${row.id}`, `${row.client_name}, since ${formatTime(row.created_at)}`]),
      ];
      const none = `${account.full_name} is signed in nowhere.`;
      answer({ user_id: account.id, browsers, api_keys: keys }, rows.length === 0 ? none : table(rows));
    });
  },
});
