import { deactivateRealm, reactivateRealm } from "../../domain/administration/organization/deactivate.ts";
import { auditedCommand } from "../../domain/organization/audit/audited.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { findOrganization, realmOption } from "../accounts.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";

export const realmDeactivate = command({
  options: { realm: realmOption },
  details: ["Connected clients are signed out at once. All data is kept: `skein realm reactivate` undoes this."],
  run: async ({ options, answer }) => {
    const realm = await change(options.realm, deactivateRealm, "deactivate");
    answer({ id: realm.id, deactivated: true }, `${realm.name} is deactivated.`);
  },
});

export const realmReactivate = command({
  options: { realm: realmOption },
  details: ["People whose session has not expired need not sign in again."],
  run: async ({ options, answer }) => {
    const realm = await change(options.realm, reactivateRealm, "reactivate");
    answer({ id: realm.id, deactivated: false }, `${realm.name} is active again.`);
  },
});

const change = (shortName: string | undefined, action: typeof reactivateRealm, verb: "deactivate" | "reactivate") =>
  withDatabase(async (db) => {
    const realm = await findOrganization(db, shortName);
    await transaction(db, `${verb} organization`, (tx) =>
      auditedCommand(tx, realm, { kind: "realm", id: realm.id, action: `realm.${verb}` }, () => action(tx, realm)),
    );
    return realm;
  });
