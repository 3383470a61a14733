/**
 * Link previews. A message with links is sent without them. A job then fetches the metadata of the linked pages and
 * renders the message again, unless it was edited or deleted meanwhile, and emits an update.
 */
import { hash } from "node:crypto";
import { z } from "zod";
import type { Context } from "../../../context.ts";
import { emit } from "../../../events/emit.ts";
import { accountById } from "../../../identity/account.ts";
import { enqueue, job } from "../../../jobs/job.ts";
import type { UrlEmbedData } from "../../../markdown/context.ts";
import { RenderedTooLong, renderMarkdown, type RenderedMarkdown } from "../../../markdown/render.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { prepareMarkdown } from "../markdown/prepare.ts";
import { findMessageForChange, type MessageRow } from "../send/locked-message.ts";
import { flagsForUpdate, type LoggedUpdate } from "../update-event.ts";
import { reindexMessage } from "../search/index-messages.ts";
import { linkPreview } from "./link-previews.ts";
import { Limiter } from "../../../platform/limiter.ts";

const maxConcurrentPages = 4;

const payload = z.strictObject({
  realm_id: z.int(),
  message_id: z.int(),
  /** The hash of the text the links were found in. */
  content_hash: z.string(),
  urls: z.array(z.string()),
  /** The origin of the URL the sender's client used. */
  origin: z.string(),
});
type Payload = z.output<typeof payload>;

export const contentHash = (content: string): string => hash("sha256", content);

interface MessageWithLinks {
  id: number;
  realm_id: number;
  content: string;
  rendered: RenderedMarkdown;
  origin: string;
}

/** Schedules the previews of a message that was just sent or edited, if any of its links can have one. */
export async function planPreviews(
  tx: Tx,
  { id, realm_id, content, rendered, origin }: MessageWithLinks,
): Promise<void> {
  const { linksForPreview: urls } = rendered;
  if (urls.length === 0) return;
  await enqueue(tx, previewLinks, { realm_id, message_id: id, content_hash: contentHash(content), urls, origin });
}

export const previewLinks = job({
  name: "preview links",
  payload,
  maxAttempts: 3,
  run: async (ctx: Context, links: Payload) => {
    const turns = new Limiter(maxConcurrentPages, Infinity);
    const pages = await Promise.all(
      links.urls.map(async (url) => [url, await turns.take(() => linkPreview(ctx, url))] as const),
    );
    if (pages.some(([, data]) => data !== null)) await renderAgain(ctx, links, new Map(pages));
  },
});

async function renderAgain(
  ctx: Context,
  links: Payload,
  urlEmbedData: ReadonlyMap<string, UrlEmbedData | null>,
): Promise<void> {
  const message = await findMessage(ctx.db, links);
  const sender = message && (await accountById(ctx.db, message.sender_id));
  if (!message || !sender) return;
  const context = await prepareMarkdown(ctx, ctx.db, sender, links.origin, message.content);
  const html = renderedOrUndefined(message.content, { ...context, urlEmbedData });
  if (html === undefined || html === message.rendered_content) return;
  await transaction(ctx.db, "show what links lead to", async (tx) => {
    const locked = await findMessageForChange(tx, links.realm_id, message.id);
    if (!locked || !isUnchanged(locked.message, links) || locked.message.rendered_content === html) return;
    const { message: current, audience } = locked;
    await tx.updateTable("messages").set({ rendered_content: html }).where("id", "=", current.id).execute();
    await reindexMessage(tx, current.id);
    const event: LoggedUpdate = {
      type: "update_message",
      user_id: null,
      rendering_only: true,
      message_id: current.id,
      message_ids: [current.id],
      edit_timestamp: Math.floor(Date.now() / 1000),
      ...(current.channel_name === null
        ? {}
        : { stream_id: current.conversation_id, stream_name: current.channel_name }),
      content: current.content,
      rendered_content: html,
      ...(await flagsForUpdate(tx, current)),
    };
    emit(tx, links.realm_id, audience, event);
  });
}

function renderedOrUndefined(...given: Parameters<typeof renderMarkdown>): string | undefined {
  try {
    return renderMarkdown(...given).html;
  } catch (error) {
    if (error instanceof RenderedTooLong) return undefined;
    throw error;
  }
}

/** Whether the text is still the one the links were found in. */
const isUnchanged = ({ content }: { content: string }, links: Payload): boolean =>
  contentHash(content) === links.content_hash;

type FoundMessage = Pick<MessageRow, "id" | "sender_id" | "content" | "rendered_content">;

async function findMessage(db: Db, links: Payload): Promise<FoundMessage | undefined> {
  const message = await db
    .selectFrom("messages")
    .select(["id", "sender_id", "content", "rendered_content"])
    .where("realm_id", "=", links.realm_id)
    .where("id", "=", links.message_id)
    .executeTakeFirst();
  return message && isUnchanged(message, links) ? message : undefined;
}
