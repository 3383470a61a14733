import { roleName, showUser } from "../../domain/data/statistics/users.ts";
import { findAccount, findOrganization, realmOption, userArgument, userDetails } from "../accounts.ts";
import { command, table } from "../command.ts";
import { withDatabase } from "../database.ts";
import { fields, formatBytes, formatTime } from "../format.ts";

export const userShow = command({
  args: [userArgument],
  options: { realm: realmOption },
  details: [userDetails],
  run: async ({ args: [who = ""], options, answer }) => {
    const user = await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      return showUser(db, (await findAccount(db, realm, who)).id);
    });
    const granted = [user.can_create_users && "create users", user.can_change_user_emails && "change e-mail addresses"];
    const lines = fields({
      ID: user.id,
      name: user.full_name,
      "e-mail address": user.delivery_email,
      role: user.is_bot ? `bot of ${user.bot_owner_id ?? "nobody"}, ${roleName(user.role)}` : roleName(user.role),
      state: user.is_active ? "active" : "deactivated",
      joined: formatTime(user.date_joined),
      "last seen": formatTime(user.last_connected_at),
      "signs in with": user.has_password ? "a password" : "no password",
      "may also": granted.filter((right) => right !== false).join(", ") || undefined,
      browsers: user.browser_sessions,
      "API keys": user.api_keys,
      devices: user.devices,
      bots: user.bots,
      channels: user.channels,
      groups: user.groups.length === 0 ? "none" : user.groups.join(", "),
      messages: user.messages,
      files: formatBytes(user.file_bytes),
    });
    answer(user, table(lines));
  },
});
