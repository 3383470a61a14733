import type { LdapChange } from "@skein/api/identity-providers.ts";
import { listProviders, type ProviderRow } from "../../domain/joining/identity-providers/queries.ts";
import { makePlan } from "../../domain/joining/ldap/sync/plan.ts";
import { toPreview } from "../../domain/joining/ldap/sync/preview.ts";
import { claimProvider, sync, type ChangeInTransaction } from "../../domain/joining/ldap/sync/run.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { Outbound } from "../../platform/outbound.ts";
import { SecretBox } from "../../platform/secret-box.ts";
import { findOrganization, realmOption } from "../accounts.ts";
import { command } from "../command.ts";
import { withDatabase } from "../database.ts";

export const ldapSync = command({
  options: {
    "dry-run": { type: "boolean", description: "Only print what would change." },
    provider: { type: "string", value: "KEY", description: "The provider's key, if the organization has several." },
    "max-deactivations": {
      type: "number",
      value: "NUMBER",
      range: [0, 1_000_000],
      description: "How many people may be deactivated, whatever the provider's settings say.",
    },
    realm: realmOption,
  },
  details: [
    "Accounts of people who have signed in with the directory get its names, addresses and groups; accounts of people who are " +
      "no longer in it, or disabled, are deactivated, if the provider's settings say so.",
  ],
  examples: ["skein ldap sync --dry-run", "skein ldap sync --realm denmark --max-deactivations 40"],
  run: async ({ options, answer }) => {
    await withDatabase(async (db, config) => {
      const realm = await findOrganization(db, options.realm);
      const row = choose(await listProviders(db, realm.id), options.provider);
      const outbound = new Outbound(config.outboundAllow);
      const ctx = { db, outbound, secretBox: new SecretBox(config.secret, config.secondSecret) };
      const maxDeactivations = options["max-deactivations"];
      if (options["dry-run"]) {
        const plan = await makePlan(ctx, realm, row, { maxDeactivations, proceed: async () => undefined });
        const changes = plan.plans.flatMap((each) => each.changes);
        const text = [...changes.map(describe), `${changes.length} changes.`, plan.refusal ?? ""].join("\n").trim();
        answer({ ...toPreview(plan), changes }, text);
        return;
      }
      const claim = await claimProvider(db, row);
      if (!claim) throw new Error("A sync with this directory is running. Try again when it has ended.");
      const change: ChangeInTransaction = (name, act) => transaction(db, name, act);
      const { changes, deactivations, problem } = await sync(ctx, claim, { change, maxDeactivations });
      if (problem !== undefined) throw new Error(problem);
      answer({ changes, deactivations }, `${changes} changes, of which ${deactivations} deactivations.`);
    });
  },
});

function choose(rows: readonly ProviderRow[], key: string | undefined): ProviderRow {
  const found = rows.filter((row) => row.kind === "ldap" && (key === undefined || row.key === key));
  const [row, ...others] = found;
  if (!row) throw new Error("The organization has no such LDAP provider.");
  if (others.length > 0) throw new Error(`Choose one with --provider: ${found.map((each) => each.key).join(", ")}.`);
  return row;
}

const describe = ({ user_id, kind, before, after, user_group_id }: LdapChange): string =>
  [`user ${user_id}`, kind, before, after === null ? null : `-> ${after}`, user_group_id]
    .filter((part) => part !== null)
    .join("  ");
