/**
 * What a rendering needs besides the text. The caller prepares it. Everything is optional: an absent field means unknown
 * or disabled. The caller checks permissions: a user, group or channel that is not in here does not resolve.
 */
import type { CompiledLinkifier, LinkifierBudget } from "./linkifier.ts";

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
  /** The newest message the acting user can see, by topic. */
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
  /** Absent until the thumbnail is generated. */
  thumbnail_url?: string;
  animated?: boolean;
  /** The largest converted format, for a type that browsers cannot display. */
  transcoded?: string;
}

/** The metadata of a linked page. */
export interface UrlEmbedData {
  title?: string | null;
  description?: string | null;
  image?: string | null;
  /** Whether the data came from the page's oEmbed endpoint. */
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
  /** Shared by the whole rendering. When absent, each text inside it has its own budget. */
  linkifierBudget?: LinkifierBudget;
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
  /** By URL; `null` when the page has no metadata. A missing URL has not been fetched yet. */
  urlEmbedData?: ReadonlyMap<string, UrlEmbedData | null>;
  /** By path. */
  uploads?: ReadonlyMap<string, UploadedImage>;
  /** The stored types of uploaded files that are no images, by path. */
  attachments?: ReadonlyMap<string, string>;
  /** The image proxy's URL for an external URL. When absent, there is no proxy. */
  proxyUrl?: (url: string) => string;
  /** The HTML of a formula; throws when it is invalid. When absent, formulas stay as they were typed. */
  renderMath?: (tex: string, displayMode: boolean) => string;
  /** The inner HTML of highlighted code; `undefined` when the language is unknown. */
  highlight?: (code: string, language: string) => string | undefined;
}
