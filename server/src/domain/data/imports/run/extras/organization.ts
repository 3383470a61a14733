/**
 * The settings of the organization itself, and its pictures. A new organization takes those that nobody has changed in it
 * yet; any other keeps what it has. The plan can say otherwise. What was decided once is in the map, so a later import
 * changes nothing of it.
 */
import { isDeepStrictEqual } from "node:util";
import { jsonOnWire } from "@skein/api/endpoint.ts";
import { maxLogoFileMebibytes } from "@skein/api/realm-icon.ts";
import { updateRealm as declaration } from "@skein/api/realm-settings.ts";
import { settingNames, settingSchemas } from "@skein/api/settings.ts";
import { z } from "zod";
import { ApiError } from "../../../../../errors.ts";
import type { Realm } from "../../../../../identity/account.ts";
import type { Tx } from "../../../../../platform/db/transaction.ts";
import { updateRealm } from "../../../../administration/organization/update.ts";
import { uploadPicture } from "../../../../administration/realm-icon/actions.ts";
import {
  columnOf,
  groupOf,
  realmPermissionNames,
  realmPermissions,
} from "../../../../organization/permissions/realm-permissions.ts";
import { addDomain } from "../../../../organization/realm-domains/actions.ts";
import { realmPictures } from "../../../../organization/realm/icon.ts";
import { updateDefaultSettings } from "../../../../people/settings/defaults.ts";
import { defaultSettingsOf } from "../../../../people/settings/state.ts";
import { toParameter } from "../../organization-settings.ts";
import type { SourceExtras, SourceOrganization } from "../../source.ts";
import { readSmallFile } from "../files.ts";
import { loadHolders, storeGroupValue } from "../group-values.ts";
import type { Import } from "../import-context.ts";
import { recall, remember } from "../map.ts";
import { firstState, isNewOrganization } from "../new-organization.ts";
import type { Report } from "../report.ts";
import { storeOne } from "./store-one.ts";

/** One thing of the organization that is taken or kept. */
interface Setting {
  /** Its key in the map. */
  key: string;
  /** As it is here, as it was here at first, and as it is in the export. */
  here: unknown;
  first: unknown;
  there: unknown;
  take: (tx: Tx, report: Report) => Promise<unknown>;
}

/** Everything except what names a channel. */
export async function storeOrganization(run: Import, extras: SourceExtras, checkpoint: number): Promise<void> {
  const given = await extras.organization?.();
  if (!given || !(await mayTake(run))) return;
  const { db, owner } = run;
  const [realm, first, known] = [await readRealm(run), await firstState(db), await loadHolders(db, run)];
  const plain = Object.entries(given.settings).map(([name, there]): Setting => ({
    key: name,
    here: toParameter(name, realm),
    // The name that `skein realm create` gives to an organization without one.
    first: name === "name" ? realm.string_id : toParameter(name, first),
    there,
    take: (tx) => updateRealm(tx, owner, readParameter(name, there)),
  }));
  const permissions = realmPermissionNames.flatMap((name): Setting[] => {
    const value = given.permissions[name];
    if (!value) return [];
    const rule = realmPermissions[name];
    const isGroup = value.members.length === 0 && value.groups.length < 2;
    return [
      {
        key: name,
        here: groupOf(realm, name),
        first: known.groups.get(rule.default),
        there: isGroup ? known.groups.get(value.groups[0] ?? "role:nobody") : undefined,
        take: async (tx, report) => {
          const id = await storeGroupValue(tx, run, { name, rule, of: "the organization" }, value, known, report);
          await tx
            .updateTable("realms")
            .set({ [columnOf(name)]: id })
            .where("id", "=", realm.id)
            .execute();
        },
      },
    ];
  });
  const defaults = { ...defaultSettingsOf({ user_settings_defaults: {} }), ...readDefaults(given.userDefaults) };
  const newcomers: Setting = {
    key: "user_settings_defaults",
    here: defaultSettingsOf(realm),
    first: defaultSettingsOf(first),
    there: defaults,
    take: async (tx) => {
      await updateDefaultSettings(tx, owner, defaults);
    },
  };
  await storeSettings(run, [...plain, ...permissions, newcomers], checkpoint);
  await storeDomains(run, given, checkpoint);
  await storePictures(run, realm, given.pictures, checkpoint);
}

/** Who may join is a setting, too, so domains are added only where settings are taken. */
async function storeDomains(run: Import, { domains }: SourceOrganization, checkpoint: number): Promise<void> {
  const decided = await recall(run.db, run, "organization");
  const here = await run.db
    .selectFrom("realm_domains")
    .select(["id", "domain", "allow_subdomains"])
    .where("realm_id", "=", run.realmId)
    .execute();
  for (const { domain, withSubdomains } of domains) {
    const key = `domain ${domain}`;
    if (decided.has(key)) continue;
    const existing = here.find((one) => one.domain === domain.toLowerCase() && one.allow_subdomains === withSubdomains);
    if (existing) {
      await run.batch("keep a domain", checkpoint, (tx) => remember(tx, run, "organization", [[key, existing.id]]));
      continue;
    }
    await storeOne(run, { kind: "organization", key, what: `the domain ${domain}`, checkpoint }, async (tx) => {
      const { id } = await addDomain(tx, run.owner, { domain, allow_subdomains: withSubdomains });
      return id;
    });
  }
}

/** Settings that name a channel, which exists by now. */
export async function storeOrganizationChannels(run: Import, extras: SourceExtras, checkpoint: number): Promise<void> {
  const given = await extras.organization?.();
  if (!given || !(await mayTake(run))) return;
  const [realm, first, channels] = [
    await readRealm(run),
    await firstState(run.db),
    await recall(run.db, run, "channel"),
  ];
  const settings = Object.entries(given.channels).map(([name, channel]): Setting => {
    const there = channel === undefined ? toParameter(name, {}) : channels.get(channel);
    return {
      key: name,
      here: toParameter(name, realm),
      first: toParameter(name, first),
      there,
      take: (tx) => updateRealm(tx, run.owner, readParameter(name, there)),
    };
  });
  await storeSettings(run, settings, checkpoint);
}

const mayTake = async (run: Import): Promise<boolean> =>
  run.plan.organizationSettings === "take" ||
  (run.plan.organizationSettings === undefined && isNewOrganization(await recall(run.db, run, "organization")));

const readRealm = ({ db, realmId }: Import): Promise<Realm> =>
  db.selectFrom("realms").selectAll().where("id", "=", realmId).executeTakeFirstOrThrow();

async function storeSettings(run: Import, settings: readonly Setting[], checkpoint: number): Promise<void> {
  const decided = await recall(run.db, run, "organization");
  const kept: string[] = [];
  for (const { key, here, first, there, take } of settings) {
    if (decided.has(key)) continue;
    const isFree = run.plan.organizationSettings === "take" || isDeepStrictEqual(here, first);
    if (!isFree || isDeepStrictEqual(here, there)) kept.push(key);
    else
      await storeOne(
        run,
        { kind: "organization", key, what: `the setting ${key} of the organization`, checkpoint },
        async (tx, report) => {
          await take(tx, report);
          return run.realmId;
        },
      );
  }
  await run.batch("keep settings of an organization", checkpoint, (tx) =>
    remember(
      tx,
      run,
      "organization",
      kept.map((key) => [key, run.realmId]),
    ),
  );
}

/** Checked like a parameter of a request. */
function readParameter(name: string, value: unknown): Record<string, unknown> {
  const schema = (declaration.params as Record<string, z.ZodType>)[name]; // any name may be asked for
  const parsed = schema && z.safeParse(schema, jsonOnWire(schema) === "always" ? JSON.stringify(value) : value);
  if (!parsed?.success || parsed.data === undefined) throw new ApiError("The export has an invalid value.");
  return { [name]: parsed.data };
}

const readDefaults = (given: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    settingNames.flatMap((name) => {
      const parsed = settingSchemas[name].safeParse(given[name]);
      return given[name] !== undefined && parsed.success ? [[name, parsed.data]] : [];
    }),
  );

/** A picture that is uploaded again because the run was interrupted replaces the one before. */
async function storePictures(
  run: Import,
  realm: Realm,
  pictures: SourceOrganization["pictures"],
  checkpoint: number,
): Promise<void> {
  const decided = await recall(run.db, run, "organization");
  for (const which of realmPictures) {
    if (decided.has(which)) continue;
    const isFree = run.plan.organizationSettings === "take" || realm[`${which}_key`] === null;
    const file = isFree ? pictures[which] : undefined;
    const bytes = file && (await readSmallFile(run, file, maxLogoFileMebibytes * 1024 ** 2));
    if (!bytes) {
      await run.batch("keep a picture", checkpoint, (tx) => remember(tx, run, "organization", [[which, run.realmId]]));
      continue;
    }
    const item = { kind: "organization", key: which, what: `the ${which} of the organization`, checkpoint } as const;
    const sent = { name: file.name, contentType: "image/png", bytes };
    await storeOne(run, item, async () => {
      await uploadPicture(run.ctx, { user: run.owner }, which, [sent]);
      return run.realmId;
    });
  }
}
