/** The organization itself in our own export. */
import { realmPictures } from "../../../organization/realm/icon.ts";
import { realmPermissionNames } from "../../../organization/permissions/realm-permissions.ts";
import { type JsonRecord, recordOf, stringOf } from "../archive/json.ts";
import { channelSettings, plainSettings, toParameter } from "../organization-settings.ts";
import type { SourceFile, SourceOrganization } from "../source.ts";
import type { SkeinGroups } from "./groups.ts";
import { type ExportFiles, listOf } from "./rows.ts";

export const readOrganization = async (
  row: JsonRecord,
  groups: SkeinGroups,
  files: ExportFiles,
): Promise<SourceOrganization> => ({
  settings: Object.fromEntries(
    plainSettings.map((name) => [name, toParameter(name, row)]).filter(([, value]) => value !== undefined),
  ),
  channels: Object.fromEntries(
    channelSettings
      .filter((name) => name in row)
      .map((name) => [name, typeof row[name] === "number" ? String(row[name]) : undefined]),
  ),
  permissions: groups.valuesOf(realmPermissionNames, row),
  userDefaults: recordOf(row["user_settings_defaults"]),
  domains: (await listOf(files, "domains")).map(({ domain, allow_subdomains }) => ({
    domain: stringOf(domain),
    withSubdomains: allow_subdomains === true,
  })),
  pictures: Object.fromEntries(
    realmPictures.flatMap((which): [string, SourceFile][] => {
      const [name, entry] = [`${which}.png`, `${files.root}files/organization/${which}.png`];
      const size = files.archive.files.get(entry)?.size;
      return size === undefined ? [] : [[which, { entry, name, size }]];
    }),
  ),
});
