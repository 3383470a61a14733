/** Where an export lies, and where administrators fetch it. Nobody can guess either. */
import type { ExportRow } from "./access.ts";

export const exportPath = "/user_avatars/exports/:realm_id/:secret/:file_name";
export const exportType = "application/gzip";

type Placed = Pick<ExportRow, "realm_id" | "secret">;

export const exportKey = ({ realm_id, secret }: Placed): string => `exports/${realm_id}/${secret}.tar.gz`;

export const exportFileName = ({ id }: Pick<ExportRow, "id">): string => `skein-export-${id}.tar.gz`;

/** `site` is the organization's address. */
export const exportUrl = (site: string, { id, realm_id, secret }: Placed & Pick<ExportRow, "id">): string =>
  site +
  exportPath
    .replace(":realm_id", String(realm_id))
    .replace(":secret", secret)
    .replace(":file_name", exportFileName({ id }));
