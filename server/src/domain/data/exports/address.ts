/** The storage key and the download URL of an export. Both contain a secret, so nobody can guess them. */
import type { ExportRow } from "./access.ts";

export const exportPath = "/user_avatars/exports/:realm_id/:secret/:file_name";
export const exportType = "application/gzip";

type Location = Pick<ExportRow, "realm_id" | "secret">;

export const exportKey = ({ realm_id, secret }: Location): string => `exports/${realm_id}/${secret}.tar.gz`;

export const exportFileName = ({ id }: Pick<ExportRow, "id">): string => `skein-export-${id}.tar.gz`;

/** `site` is the organization's URL. */
export const exportUrl = (site: string, { id, realm_id, secret }: Location & Pick<ExportRow, "id">): string =>
  site +
  exportPath
    .replace(":realm_id", String(realm_id))
    .replace(":secret", secret)
    .replace(":file_name", exportFileName({ id }));
