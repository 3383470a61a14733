/** Checks that files can be stored, read and removed, in the folder or the bucket. */
import { randomUUID } from "node:crypto";
import { statfs } from "node:fs/promises";
import type { Config } from "../../config.ts";
import { openFileStore } from "../../platform/open-file-store.ts";
import { failed, ok, reasonOf, warning, type Finding } from "../finding.ts";

const lowBytes = 1024 ** 3;

export async function checkFiles(config: Config): Promise<Finding[]> {
  const isFolder = config.s3Bucket === "";
  const name = isFolder ? "file folder" : "S3 bucket";
  const place = isFolder ? config.filesDir : `${config.s3Bucket} at ${config.s3Endpoint || `AWS (${config.s3Region})`}`;
  try {
    await tryStore(config);
  } catch (error) {
    return [failed(name, `${place}: ${reasonOf(error)}`, isFolder ? folderRemedy(config) : s3Remedy(error))];
  }
  return [ok(name, `${place}: can be written, read and removed`), ...(isFolder ? await checkSpace(config) : [])];
}

async function tryStore(config: Config): Promise<void> {
  const files = await openFileStore(config);
  const key = `doctor/${randomUUID()}`;
  const content = Buffer.from("Written by `skein doctor`; may be removed.");
  await files.put(key, content, "text/plain");
  try {
    const found = await files.get(key);
    if (!found?.bytes.equals(content)) throw new Error("what was written could not be read");
  } finally {
    await files.remove(key);
  }
  if (await files.get(key)) throw new Error("a removed file is still there");
}

const folderRemedy = ({ filesDir }: Config) =>
  `Create the folder and let the account of the server write to it: install -d -o skein -g skein -m 700 ${filesDir}`;

function s3Remedy(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "NoSuchBucket")
    return "Create the bucket, or correct SKEIN_S3_BUCKET, SKEIN_S3_REGION and SKEIN_S3_ENDPOINT.";
  if (name === "RequestTimeTooSkewed") return "Synchronize this machine's clock (chrony or systemd-timesyncd).";
  if (["AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch", "CredentialsProviderError"].includes(name))
    return (
      "Check SKEIN_S3_ACCESS_KEY and SKEIN_S3_SECRET_KEY. The key needs s3:GetObject, s3:PutObject, s3:DeleteObject and " +
      "s3:AbortMultipartUpload on the bucket's objects."
    );
  return "Check SKEIN_S3_ENDPOINT, and that this machine can reach it.";
}

async function checkSpace({ filesDir }: Config): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(filesDir);
  const free = bavail * bsize;
  const text = `${(free / 1024 ** 3).toFixed(1)} GiB free`;
  if (free >= lowBytes) return [ok("disk space for files", text)];
  return [warning("disk space for files", text, "Free space on the disk of SKEIN_FILES_DIR, or move the files.")];
}
