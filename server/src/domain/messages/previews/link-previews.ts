/** The metadata of linked pages, fetched once and cached for a while, shared by all organizations. */
import { hash } from "node:crypto";
import { sql } from "kysely";
import { z } from "zod";
import type { Context } from "../../../context.ts";
import type { UrlEmbedData } from "../../../markdown/context.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { OutboundError } from "../../../platform/outbound.ts";
import { readPageMetadata } from "./page-metadata.ts";
import { pageText } from "./page-text.ts";
import { planTrimming } from "./plan-trimming.ts";

const maxBytes = 3 * 1024 ** 2;
const timeoutMs = 10_000;
const redirects = 5;
const isPage = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;

const text = z.string().exactOptional();
const cachedData = z.strictObject({ title: text, description: text, image: text }).nullable();

/** Null if the page has no metadata or could not be fetched. */
export async function linkPreview(ctx: Context, url: string): Promise<UrlEmbedData | null> {
  const urlHash = hash("sha256", url, "buffer");
  const row = await ctx.db
    .selectFrom("link_previews")
    .select("data")
    .where("url_hash", "=", urlHash)
    .where("expires_at", ">", sql<Date>`now()`)
    .executeTakeFirst();
  if (row) return cachedData.parse(row.data);
  const data = await fetchPreview(ctx, url);
  await transaction(ctx.db, "keep a link preview", async (tx) => {
    const values = {
      data: data && JSON.stringify(data),
      expires_at: data ? sql<Date>`now() + interval '3 days'` : sql<Date>`now() + interval '10 minutes'`,
    };
    await tx
      .insertInto("link_previews")
      .values({ url_hash: urlHash, ...values })
      .onConflict((conflict) => conflict.column("url_hash").doUpdateSet(values))
      .execute();
    await planTrimming(tx);
  });
  return data;
}

async function fetchPreview(ctx: Context, url: string): Promise<UrlEmbedData | null> {
  try {
    const headers = { accept: "text/html,application/xhtml+xml" };
    const response = await ctx.outbound.request(url, { method: "GET", headers, timeoutMs, maxBytes, redirects });
    const contentType = response.headers["content-type"] ?? "";
    if (response.status !== 200 || !isPage.test(contentType)) return null;
    return readPageMetadata(pageText(response.body, contentType), response.url);
  } catch (error) {
    // Errors of the other server are not ours to fix.
    if (error instanceof OutboundError) return null;
    throw error;
  }
}
