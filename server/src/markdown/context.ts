/**
 * What a rendering needs to know beyond the text. The caller prepares it; everything is optional, and what is absent
 * is unknown or switched off. Rights are decided by the caller: who or what is not in here does not resolve.
 */
import type { CompiledLinkifier } from "./linkifier.ts";

export interface MentionableUser {
  user_id: number;
  full_name: string;
  /** Absent means active; a mention of a deactivated user is silent. */
  is_active?: boolean;
}

export interface MentionableGroup {
  id: number;
  name: string;
  deactivated?: boolean;
  is_system_group?: boolean;
}

export interface LinkableChannel {
  stream_id: number;
  name: string;
  /** The oldest message the acting user can see, by topic. */
  topics?: ReadonlyMap<string, number>;
}

export interface CustomEmoji {
  name: string;
  source_url: string;
}

/** An uploaded file that is known to be an image. */
export interface UploadedImage {
  width: number;
  height: number;
  content_type: string;
  /** Absent until the thumbnail is made. */
  thumbnail_url?: string;
  animated?: boolean;
  /** The largest format made of a type that browsers do not show. */
  transcoded?: string;
}

/** What the page behind a link says of itself. */
export interface UrlEmbedData {
  title?: string | null;
  description?: string | null;
  image?: string | null;
  /** Answered by the page's oEmbed endpoint. */
  oembed?: boolean;
  type?: string;
  html?: string | null;
}

export interface MarkdownContext {
  realmUrl?: string;
  realmId?: number;
  users?: readonly MentionableUser[];
  groups?: readonly MentionableGroup[];
  channels?: readonly LinkableChannel[];
  realmEmoji?: readonly CustomEmoji[];
  /** In the organization's order. */
  linkifiers?: readonly CompiledLinkifier[];
  /** By user. */
  alertWords?: ReadonlyMap<number, readonly string[]>;
  translateEmoticons?: boolean;
  sentByBot?: boolean;
  defaultCodeBlockLanguage?: string;
  emailGateway?: boolean;
  enableFileLinks?: boolean;
  /** Absent means on. */
  inlineImagePreview?: boolean;
  inlineUrlEmbedPreview?: boolean;
  /** By URL; `null` when the page has nothing to say. A URL that is missing is yet to be fetched. */
  urlEmbedData?: ReadonlyMap<string, UrlEmbedData | null>;
  /** By path. */
  uploads?: ReadonlyMap<string, UploadedImage>;
  /** The image proxy's address for an external URL; absent: no proxy. */
  proxyUrl?: (url: string) => string;
  /** HTML of a formula; throws when it is not one. Absent: the formula stays as it was typed. */
  renderMath?: (tex: string, displayMode: boolean) => string;
  /** Inner HTML of code in a language; `undefined` when the language is unknown. */
  highlight?: (code: string, language: string) => string | undefined;
}
