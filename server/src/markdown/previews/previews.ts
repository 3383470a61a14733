/** Adds previews of the links in a tree, and records the effects of the links on the message. */
import type { MarkdownContext, UploadedImage, UrlEmbedData } from "../context.ts";
import type { Effects } from "../effects.ts";
import { withoutMarks } from "../marks.ts";
import type { Element } from "../tree.ts";
import { splitUrl, type SplitUrl } from "../url-policy.ts";
import { dropboxKind, dropboxTexts, rawAddress, type DropboxKind } from "./dropbox.ts";
import { image, mediaPreview, video } from "./elements.ts";
import { embedPreview, videoLinkText } from "./embeds.ts";
import { findLinks, type FoundLink } from "./found-links.ts";
import { imageAddress, imageSource, isImage, isTweet, isVideo, youtubeId } from "./media-types.ts";
import { isBare, placeBeside, placeInstead, titleOf } from "./place.ts";
import { rewriteSources } from "./rewrite-sources.ts";
import { sourceKind, sourceRewriter } from "./sources.ts";
import { uploadedImage, uploadPathOf } from "./uploads.ts";

/** A message with more distinct links gets no previews at all. */
const maxLinks = 24;

/** The parts of a link's URL. A link relative to the organization's root is made absolute. */
const locate = (href: string) => splitUrl(href.startsWith("user_uploads/") ? `/${href}` : href);

class Previews {
  readonly #root: Element;
  readonly #context: MarkdownContext;
  readonly #effects: Effects;
  readonly #proxied: (url: string) => string | undefined;
  readonly #ownHost: string | undefined;

  constructor(root: Element, context: MarkdownContext, effects: Effects) {
    this.#root = root;
    this.#context = context;
    this.#effects = effects;
    this.#proxied = sourceRewriter(context);
    this.#ownHost = splitUrl(context.realmUrl ?? "")?.host;
  }

  noteAttachments(links: readonly FoundLink[]): void {
    for (const { href } of links) {
      const url = locate(href);
      if (url === undefined || (url.host !== "" && url.host !== this.#ownHost)) continue;
      const pathId = uploadPathOf(url.path);
      if (pathId !== undefined) this.#effects.attachmentPathIds.add(pathId);
    }
  }

  addAll(links: readonly FoundLink[]): void {
    const previewable = new Set(links.filter(({ isQuoted }) => !isQuoted).map(({ href }) => href));
    if (previewable.size > maxLinks) return;
    for (const found of links) if (previewable.delete(found.href)) this.#add(found);
  }

  #add(found: FoundLink): void {
    const { href } = found;
    const url = splitUrl(href);
    const kind = sourceKind(href, this.#context);
    // Neither shown nor fetched: a message must not make its readers' browsers load pages of our own host.
    if (url === undefined || kind === undefined || kind === "own page") return;
    const withImages = this.#context.inlineImagePreview !== false;
    const dropbox = dropboxKind(url);
    if (dropbox !== undefined) {
      if (withImages) this.#addDropbox(found, url, dropbox);
      return;
    }
    if (withImages && isVideo(url)) {
      const className = "message_inline_image message_inline_video";
      placeInstead(this.#root, found, mediaPreview({ className, href, title: titleOf(found) }, video(href)));
      return;
    }
    if (withImages && (isImage(url) || this.#uploadOf(href) !== undefined)) {
      this.#addImageOf(found);
      return;
    }
    if (kind === "own file" || isTweet(url)) return;
    const videoId = withImages ? youtubeId(url) : undefined;
    if (videoId !== undefined) this.#addYoutube(found, videoId);
    this.#addEmbed(found, videoId !== undefined);
  }

  /** A page's metadata, without anything that could be mistaken for a mark or for a URL of our own host. */
  #pageData(href: string): UrlEmbedData | null | undefined {
    const data = this.#context.urlEmbedData?.get(href);
    if (data === undefined || data === null) return data;
    const { title, description, image: picture } = data;
    const isHttpUrl = /^https?:\/\//i.test(picture ?? "");
    return {
      ...data,
      title: withoutMarks(title ?? ""),
      description: withoutMarks(description ?? ""),
      image: isHttpUrl ? (picture ?? null) : null,
    };
  }

  #uploadOf(href: string): UploadedImage | undefined {
    const pathId = uploadPathOf(href);
    return pathId === undefined ? undefined : this.#context.uploads?.get(pathId);
  }

  #addImage(preview: Element): void {
    if (preview.attributes?.["class"]?.includes("message_inline_image") === true) this.#effects.hasImage = true;
    this.#root.append(preview);
  }

  /** A picture or a film is shown; of everything else the page has a picture, whatever it calls itself. */
  #addDropbox(found: FoundLink, url: SplitUrl, kind: DropboxKind): void {
    const { href } = found;
    const address = rawAddress(href);
    if (kind === "file" && isVideo({ ...url, query: "" })) {
      const className = "message_inline_image message_inline_video";
      placeInstead(this.#root, found, mediaPreview({ className, href: address }, video(address)));
      return;
    }
    if (kind === "file" && isImage(url)) {
      this.#effects.hasImage = true;
      placeInstead(
        this.#root,
        found,
        mediaPreview({ className: "message_inline_image", href: address }, image(address)),
      );
      return;
    }
    const data = this.#pageData(href);
    if (data === undefined && this.#context.inlineUrlEmbedPreview === true && this.#context.sentByBot !== true)
      this.#effects.linksForPreview.add(href);
    const preview = data?.image && embedPreview(href, { ...dropboxTexts[kind], image: data.image }, this.#proxied);
    if (preview) this.#addImage(preview);
  }

  #addImageOf(found: FoundLink): void {
    const { href } = found;
    const pathId = uploadPathOf(href);
    const upload = this.#uploadOf(href);
    if (pathId !== undefined && upload === undefined) return;
    const address = imageAddress(href);
    const media = upload === undefined ? image(imageSource(address)) : uploadedImage(upload);
    if (upload?.thumbnail_url !== undefined) this.#effects.showsThumbnail = true;
    else if (pathId !== undefined) this.#effects.thumbnailSpinners.add(pathId);
    this.#effects.hasImage = true;
    const className = "message_inline_image";
    placeInstead(this.#root, found, mediaPreview({ className, href: address, title: titleOf(found) }, media));
  }

  #addYoutube(found: FoundLink, dataId: string): void {
    const className = "youtube-video message_inline_image";
    const thumbnail = image(`https://i.ytimg.com/vi/${dataId}/mqdefault.jpg`);
    this.#effects.hasImage = true;
    placeBeside(this.#root, found, mediaPreview({ className, href: found.href, dataId }, thumbnail));
  }

  #addEmbed(found: FoundLink, isYoutube: boolean): void {
    const { inlineUrlEmbedPreview, sentByBot } = this.#context;
    if (inlineUrlEmbedPreview !== true || sentByBot === true) return;
    const { href, link } = found;
    const data = this.#pageData(href);
    if (data === undefined) this.#effects.linksForPreview.add(href);
    if (data === undefined || data === null) return;
    const betterText = data.title ? videoLinkText(href, isYoutube, data.title) : undefined;
    if (betterText !== undefined && isBare(found)) link.text = betterText;
    const preview = isYoutube ? undefined : embedPreview(href, data, this.#proxied);
    if (preview !== undefined) this.#addImage(preview);
  }
}

export function addPreviews(root: Element, context: MarkdownContext, effects: Effects): void {
  const links = findLinks(root);
  if (links.length > 0) {
    effects.hasLink = true;
    const previews = new Previews(root, context, effects);
    previews.noteAttachments(links);
    previews.addAll(links);
  }
  // Runs without links too, because custom emoji are images.
  rewriteSources(root, sourceRewriter(context));
}
