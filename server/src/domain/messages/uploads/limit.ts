import type { Config } from "../../../config.ts";

/** How large an uploaded file may be. */
export const maxUploadBytes = ({ maxUploadMebibytes }: Pick<Config, "maxUploadMebibytes">): number =>
  maxUploadMebibytes * 1024 ** 2;
