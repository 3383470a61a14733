import type { Config } from "../config.ts";
import { FolderStore, type FileStore } from "./file-store.ts";

/** The store that the settings choose: a bucket, or a folder. */
export async function openFileStore(config: Config): Promise<FileStore> {
  if (config.s3Bucket === "") return new FolderStore(config.filesDir);
  // Loaded only when it is needed, because its library is large.
  const { S3Store } = await import("./file-store-s3.ts");
  return new S3Store({
    bucket: config.s3Bucket,
    region: config.s3Region,
    endpoint: config.s3Endpoint,
    accessKey: config.s3AccessKey,
    secretKey: config.s3SecretKey,
  });
}
