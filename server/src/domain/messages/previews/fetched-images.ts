/**
 * Images from other servers: fetched when somebody first looks, resized and re-encoded, and cached for a while. A
 * failure is cached as well, but not for long.
 */
import { hash } from "node:crypto";
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import type { StoredFile } from "../../../platform/file-store.ts";
import { QueueFull } from "../../../platform/fair-limiter.ts";
import { resizeImage, UnusableImage, type ImageLimits, type ResizedImage } from "../../../platform/images.ts";
import { OutboundError } from "../../../platform/outbound.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { planTrimming } from "./plan-trimming.ts";
import type { Limiter } from "../../../platform/limiter.ts";

/** Twice the size clients show in a conversation, for dense screens and zooming in. */
const maxDimensions = { width: 1680, height: 1120 };
const limits: ImageLimits = { bytes: 10 * 1024 ** 2, pixels: 40_000_000, frames: 200 };
const timeoutMs = 10_000;
const redirects = 3;

/** Too many are being fetched already. */
export class TooManyFetches extends Error {
  override name = "TooManyFetches";
}

/** Images being fetched, by the hash of their URL. */
export interface ImageFetches {
  limiter: Limiter;
  byHash: Map<string, Promise<StoredFile | undefined>>;
}

/** The image at a URL; undefined when there is none that can be shown. */
export async function fetchedImage(ctx: Context, url: string): Promise<StoredFile | undefined> {
  const urlHash = hash("sha256", url, "hex");
  const kept = await findCached(ctx, urlHash);
  return kept === "unknown" ? fetchOnce(ctx, url, urlHash) : kept;
}

async function findCached(ctx: Context, urlHash: string): Promise<StoredFile | undefined | "unknown"> {
  const row = await ctx.db
    .selectFrom("fetched_images")
    .select("file_key")
    .where("url_hash", "=", Buffer.from(urlHash, "hex"))
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  if (!row) return "unknown";
  if (row.file_key === null) return undefined;
  // If the file was removed at this very moment, it is fetched again.
  return (await ctx.files.get(row.file_key)) ?? "unknown";
}

/** Readers of one message request its image at the same time; it is fetched once for all of them. */
function fetchOnce(ctx: Context, url: string, urlHash: string): Promise<StoredFile | undefined> {
  const { limiter, byHash } = ctx.memory.imageFetches;
  const same = byHash.get(urlHash);
  if (same) return same;
  if (limiter.isFull) throw new TooManyFetches();
  const fetching = limiter.take(() => fetchAndKeep(ctx, url, urlHash)).finally(() => byHash.delete(urlHash));
  byHash.set(urlHash, fetching);
  return fetching;
}

async function fetchAndKeep(ctx: Context, url: string, urlHash: string): Promise<StoredFile | undefined> {
  const image = await fetchImage(ctx, url);
  const fileKey = image ? `fetched/${urlHash.slice(0, 2)}/${urlHash}` : null;
  if (image && fileKey !== null) await ctx.files.put(fileKey, image.bytes, image.contentType);
  await transaction(ctx.db, "keep a fetched image", async (tx) => {
    const values = {
      file_key: fileKey,
      bytes: image?.bytes.length ?? 0,
      fetched_at: sql<Date>`now()`,
      expires_at: image ? sql<Date>`now() + interval '7 days'` : sql<Date>`now() + interval '10 minutes'`,
    };
    await tx
      .insertInto("fetched_images")
      .values({ url_hash: Buffer.from(urlHash, "hex"), ...values })
      .onConflict((conflict) => conflict.column("url_hash").doUpdateSet(values))
      .execute();
    await planTrimming(tx);
  });
  return image;
}

async function fetchImage(ctx: Context, url: string): Promise<ResizedImage | undefined> {
  try {
    const headers = { accept: "image/avif,image/webp,image/*" };
    const { bytes: maxBytes } = limits;
    const response = await ctx.outbound.request(url, { method: "GET", headers, timeoutMs, maxBytes, redirects });
    if (response.status !== 200) return undefined;
    const shown = {
      ...maxDimensions,
      fit: "inside",
      format: "webp",
      animated: true,
      limits,
      owner: "previews",
    } as const;
    return await resizeImage(response.body, shown);
  } catch (error) {
    // Errors of the other server are not ours to fix.
    if (error instanceof QueueFull) throw new TooManyFetches();
    if (error instanceof OutboundError || error instanceof UnusableImage) return undefined;
    throw error;
  }
}
