/** Renders imported texts as the server renders what is sent, except that nobody is mentioned or alerted. */
import { escapeHtml } from "../../../../markdown/escape.ts";
import type {
  CustomEmoji,
  LinkableChannel,
  MarkdownContext,
  MentionableGroup,
  MentionableUser,
  UploadedImage,
} from "../../../../markdown/context.ts";
import { accountById } from "../../../../identity/account.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import type { CompiledLinkifier } from "../../../../markdown/linkifier.ts";
import { RenderedTooLong, renderMarkdown, type RenderedMarkdown } from "../../../../markdown/render.ts";
import { codeHighlighter } from "../../../messages/markdown/highlight.ts";
import { mathRenderer } from "../../../messages/markdown/math.ts";
import { hasProxy, signedProxyUrl } from "../../../messages/previews/proxy-url.ts";
import { shownFormat } from "../../../messages/uploads/thumbnails.ts";
import { usableEmoji } from "../../../organization/emoji/usable.ts";
import { ProcessorBudget } from "../../../organization/linkifiers/budget.ts";
import { compiledLinkifiers } from "../../../organization/linkifiers/compiled.ts";
import { realmUrlWithoutRequest } from "../../../organization/realm/address.ts";
import type { Import } from "./import-context.ts";
import type { KnownIds } from "./references.ts";
import type { StoredUpload } from "./texts.ts";

/** What a single text refers to. */
export interface TextReferences {
  users: MentionableUser[];
  channels: LinkableChannel[];
  uploads: StoredUpload[];
}

export class Renderer {
  readonly #context: MarkdownContext;

  private constructor(context: MarkdownContext) {
    this.#context = context;
  }

  /** With the organization as it is now: its linkifiers may have changed since the import began. */
  static async create({ ctx, db, owner, source, realmId }: Import, { channels }: KnownIds): Promise<Renderer> {
    const { realm } = (await accountById(db, owner.id)) ?? owner;
    const linkifiers: CompiledLinkifier[] = await compiledLinkifiers(ctx, db, realm);
    const realmEmoji: CustomEmoji[] = await usableEmoji(ctx, db, realm);
    return new Renderer({
      realmUrl: realmUrlWithoutRequest(ctx.config, realm),
      realmId: realm.id,
      linkifiers,
      realmEmoji,
      // A source with our Markdown names groups and channels in its texts.
      ...(source.extras
        ? { groups: await listGroups(db, realmId), channels: await listChannels(db, realmId, [...channels.values()]) }
        : {}),
      defaultCodeBlockLanguage: realm.default_code_block_language,
      // Nothing is fetched for old messages, so there are no previews of pages.
      ...(hasProxy(ctx.config)
        ? { inlineImagePreview: realm.inline_image_preview, proxyUrl: (url: string) => signedProxyUrl(ctx.config, url) }
        : { inlineImagePreview: false }),
    });
  }

  render(content: string, { users, channels, uploads }: TextReferences): RenderedMarkdown {
    try {
      return renderMarkdown(content, {
        ...this.#context,
        linkifierBudget: new ProcessorBudget(),
        highlight: codeHighlighter(),
        renderMath: mathRenderer(),
        users,
        channels: [...(this.#context.channels ?? []), ...channels],
        uploads: new Map(uploads.flatMap((upload) => toImage(upload) ?? [])),
      });
    } catch (error) {
      if (!(error instanceof RenderedTooLong)) throw error;
      return { ...renderMarkdown(""), html: `<p>${escapeHtml(content)}</p>` };
    }
  }
}

const listGroups = (db: Db, realmId: number): Promise<MentionableGroup[]> =>
  db
    .selectFrom("user_groups")
    .select(["id", "name", "deactivated", "is_system as is_system_group"])
    .where("realm_id", "=", realmId)
    .where("name", "is not", null)
    .$narrowType<{ name: string }>()
    .execute();

const listChannels = (db: Db, realmId: number, ids: number[]): Promise<LinkableChannel[]> =>
  ids.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom("channels")
        .select(["id as stream_id", "name"])
        .where("realm_id", "=", realmId)
        .where("id", "in", ids)
        .execute();

function toImage({ pathId, image }: StoredUpload): [[string, UploadedImage]] | undefined {
  if (!image) return undefined;
  const { width, height, content_type, frames } = image;
  const thumbnail_url = `/user_uploads/thumbnail/${pathId}/${shownFormat({ frames })}`;
  return [[pathId, { width, height, content_type, thumbnail_url, ...(frames > 1 ? { animated: true } : {}) }]];
}
