/**
 * Renders message text to HTML. Pure: the caller passes in everything the text may refer to, and gets the side effects
 * (mentions, links to fetch) as part of the result.
 */
import { findAlertedUsers } from "./alert-words.ts";
import { parseBlocks } from "./blocks/parse.ts";
import { isBlank, trim } from "./characters.ts";
import { indentedCode } from "./code-block.ts";
import type { MarkdownContext } from "./context.ts";
import { Effects } from "./effects.ts";
import { extractFences } from "./fences.ts";
import { separateHangingLists } from "./hanging-lists.ts";
import { processInline } from "./inline/visit.ts";
import { addLineBreaks } from "./line-breaks.ts";
import { InlinePieces, StoredHtml } from "./marks.ts";
import { limitFormulas } from "./math.ts";
import { isPlain, renderPlain } from "./plain-text.ts";
import { addPreviews } from "./previews/previews.ts";
import { reserialize } from "./reserialize.ts";
import { silenceMentions } from "./references.ts";
import { resolveReferences } from "./resolve.ts";
import { serializeChildren } from "./serialize.ts";
import { Element } from "./tree.ts";
import { normalizeLines } from "./white-space.ts";

export interface RenderedMarkdown {
  html: string;
  mentionedUserIds: number[];
  mentionedGroupIds: number[];
  mentionsChannel: boolean;
  mentionsTopic: boolean;
  userIdsWithAlertWords: number[];
  /** To be fetched; the message is then rendered again. */
  linksForPreview: string[];
  attachmentPathIds: string[];
  /** Uploads whose thumbnail is pending. */
  thumbnailSpinners: string[];
  hasLink: boolean;
  hasImage: boolean;
}

/** Longer HTML is rejected. */
const maxHtmlLength = 1_000_000;

/** The text is short enough, but its HTML is not. */
export class RenderedTooLong extends Error {
  override name = "RenderedTooLong";
}

const ascending = (numbers: Set<number>): number[] => [...numbers].toSorted((a, b) => a - b);

function toResult(html: string, effects: Effects, userIdsWithAlertWords: number[]): RenderedMarkdown {
  return {
    html,
    mentionedUserIds: ascending(effects.mentionedUserIds),
    mentionedGroupIds: ascending(effects.mentionedGroupIds),
    mentionsChannel: effects.mentionsChannel,
    mentionsTopic: effects.mentionsTopic,
    userIdsWithAlertWords,
    linksForPreview: [...effects.linksForPreview],
    attachmentPathIds: [...effects.attachmentPathIds],
    thumbnailSpinners: [...effects.thumbnailSpinners],
    hasLink: effects.hasLink,
    hasImage: effects.hasImage,
  };
}

/** Indented code is stored like fenced code, and its element becomes the paragraph around the mark. */
function storeIndentedCode(element: Element, html: StoredHtml, context: MarkdownContext): void {
  for (const [index, child] of element.children.entries()) {
    if (child.tag !== "pre") {
      storeIndentedCode(child, html, context);
      continue;
    }
    const holder = new Element("p", html.add(indentedCode(child.text, context)), true);
    holder.tail = child.tail;
    element.children[index] = holder;
  }
}

export function renderMarkdown(text: string, context: MarkdownContext = {}): RenderedMarkdown {
  if (isPlain(text) && (context.linkifiers === undefined || context.linkifiers.length === 0)) {
    return toResult(renderPlain(text), new Effects(), findAlertedUsers(text, context.alertWords));
  }
  if (isBlank(text)) return toResult("", new Effects(), []);
  const { renderMath } = context;
  return renderBlocks(text, renderMath ? { ...context, renderMath: limitFormulas(renderMath) } : context);
}

function renderBlocks(text: string, context: MarkdownContext): RenderedMarkdown {
  const effects = new Effects();
  const html = new StoredHtml();
  const lines = normalizeLines(separateHangingLists(text));
  const withoutFences = extractFences(lines, html, context);
  const alerted = findAlertedUsers(withoutFences, context.alertWords);

  const root = parseBlocks(withoutFences, { withIndentedCode: context.emailGateway !== true, silenceMentions });
  storeIndentedCode(root, html, context);
  const references = resolveReferences(text, context);
  processInline(root, { context, effects, pieces: new InlinePieces(), html, references });
  addLineBreaks(root);
  addPreviews(root, context, effects);

  const written = trim(serializeChildren(root, html));
  if (written.length > maxHtmlLength) throw new RenderedTooLong();
  return toResult(effects.showsThumbnail ? reserialize(written) : written, effects, alerted);
}
