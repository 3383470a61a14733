import { listUsers, roleName, type UserFilter } from "../../domain/data/statistics/users.ts";
import { findOrganization, readRole, realmOption, roleNames } from "../accounts.ts";
import { command, idRange, table, UsageError } from "../command.ts";
import { withDatabase } from "../database.ts";
import { formatTime } from "../format.ts";

const maxLimit = 100_000;

export const userList = command({
  options: {
    role: { type: "string", value: "ROLE", description: `Only this role: ${roleNames}.` },
    active: { type: "boolean", description: "Only active accounts." },
    deactivated: { type: "boolean", description: "Only deactivated accounts." },
    people: { type: "boolean", description: "No bots." },
    bots: { type: "boolean", description: "Only bots." },
    search: { type: "string", value: "TEXT", description: "Only accounts whose name or e-mail address contains this." },
    limit: {
      type: "number",
      value: "N",
      default: 100,
      range: [1, maxLimit],
      description: `How many to list, up to ${maxLimit}.`,
    },
    after: {
      type: "number",
      value: "ID",
      range: idRange,
      description: "Continue after the account with this ID.",
    },
    realm: realmOption,
  },
  details: [
    "The result with --json has `users`, and `next`: the value for --after that lists the next ones, or null at the end.",
  ],
  examples: ["skein user list --role owner", "skein user list --people --active --limit 1000 --after 5012 --json"],
  run: async ({ options, answer }) => {
    const { active, deactivated, people, bots, limit, after } = options;
    if ((active && deactivated) || (people && bots))
      throw new UsageError("Give only one of --active and --deactivated, and one of --people and --bots.");
    const filter: UserFilter = {
      limit,
      ...(options.role === undefined ? {} : { role: readRole(options.role) }),
      ...(active || deactivated ? { isActive: active } : {}),
      ...(people || bots ? { isBot: bots } : {}),
      ...(options.search === undefined ? {} : { text: options.search }),
      ...(after === undefined ? {} : { after }),
    };
    const users = await withDatabase(async (db) => {
      const realm = await findOrganization(db, options.realm);
      return listUsers(db, realm.id, filter);
    });
    const next = users.length < limit ? null : (users.at(-1)?.id ?? null);
    const rows = users.map((user) => [
      String(user.id),
      user.is_bot ? "bot" : roleName(user.role),
      user.is_active ? "active" : "deactivated",
      formatTime(user.last_connected_at),
      user.delivery_email,
      user.full_name,
    ]);
    const header = ["ID", "ROLE", "STATE", "LAST SEEN", "E-MAIL ADDRESS", "NAME"];
    const more = next === null ? "" : `\n\nThere may be more: continue with --after ${next}.`;
    answer({ users, next }, users.length === 0 ? "No account matches." : table([header, ...rows]) + more);
  },
});
