/**
 * Writes a container image with one layer as an archive in the OCI layout
 * (https://github.com/opencontainers/image-spec/blob/main/image-layout.md). Container tools could do this, but add ids and
 * times of their own, so that no two images are the same, and drop the health check in this format.
 */
import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { packContents } from "./archive.ts";

export interface Image {
  /** What tools call it after loading it, such as skein:1.0.0. */
  name: string;
  architecture: string;
  /** Seconds since 1970. */
  time: number;
  labels: Record<string, string>;
  /** How it is run, in the words of the specification. */
  config: Record<string, unknown>;
}

const types = {
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
};

/** `layer` is a tar archive of all files; `work` a folder that is created and removed again. */
export async function writeImage(image: Image, layer: string, work: string, file: string): Promise<void> {
  const blobs = join(work, "blobs/sha256");
  await mkdir(blobs, { recursive: true });
  const put = async (mediaType: string, content: Buffer | object) => {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    await writeFile(join(blobs, sha256(bytes)), bytes);
    return { mediaType, digest: `sha256:${sha256(bytes)}`, size: bytes.length };
  };

  const { name, architecture, labels } = image;
  const created = new Date(image.time * 1000).toISOString();
  const files = await readFile(layer);
  const config = await put(types.config, {
    created,
    architecture,
    os: "linux",
    config: { ...image.config, Labels: labels },
    rootfs: { type: "layers", diff_ids: [`sha256:${sha256(files)}`] },
    history: [{ created, created_by: "npm run release" }],
  });
  const layers = [await put(types.layer, await promisify(gzip)(files))];
  const manifest = await put(types.manifest, {
    schemaVersion: 2,
    mediaType: types.manifest,
    config,
    layers,
    annotations: labels,
  });
  const annotations = { "org.opencontainers.image.ref.name": name };
  const index = {
    schemaVersion: 2,
    manifests: [{ ...manifest, platform: { os: "linux", architecture }, annotations }],
  };
  await writeFile(join(work, "index.json"), JSON.stringify(index));
  await writeFile(join(work, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  packContents(work, file, image.time);
  await rm(work, { recursive: true });
}

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
