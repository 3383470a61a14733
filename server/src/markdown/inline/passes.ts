/**
 * The inline patterns, in order. Each is applied to the whole text before the next; a match is replaced by a mark, which
 * later patterns see as one unusual character. Emphasis passes its inner text on to the patterns after it; everything
 * else is final.
 */
import { finalElement } from "../tree.ts";
import { audio } from "./audio.ts";
import { mayContainUrl } from "./bare-url.ts";
import { bareUrls } from "./bare-urls.ts";
import { channelLinks, messageLinks, topicLinks } from "./channel-links.ts";
import { codeSpans } from "./code-spans.ts";
import { emoticonEmoji, namedEmoji, unicodeEmoji } from "./emoji-spans.ts";
import { emphasis, strikethrough, strong, strongEmphasis } from "./emphasis.ts";
import { images } from "./images.ts";
import { linkifiers } from "./linkifiers.ts";
import { links } from "./links.ts";
import { mathSpans } from "./math-spans.ts";
import { groupMentions, userMentions } from "./mentions.ts";
import type { InlinePass, InlineRendering } from "./pattern.ts";
import { times } from "./times.ts";
import { trigger, triggersIn } from "./triggers.ts";

const entity = /&(?:#[0-9]+|#x[0-9a-fA-F]+|[0-9a-zA-Z]+);/g;

const entities: InlinePass = (text, { pieces }) => text.replaceAll(entity, (found) => pieces.add(found, found));

const lineBreaks: InlinePass = (text, { pieces }) =>
  text.replaceAll("\n", () => pieces.add(finalElement("br", ""), "\n"));

const bareUrlsIfAny: InlinePass = (text, rendering) => (mayContainUrl.test(text) ? bareUrls(text, rendering) : text);

interface Step {
  /** One of these must be in the text. */
  triggers: number;
  pass: (text: string, rendering: InlineRendering, continueWith: (text: string) => string) => string;
}

const steps: readonly Step[] = [
  { triggers: trigger.backtick, pass: codeSpans },
  { triggers: trigger.star, pass: strongEmphasis },
  { triggers: trigger.at, pass: userMentions },
  { triggers: trigger.dollar, pass: mathSpans },
  { triggers: trigger.hash, pass: messageLinks },
  { triggers: trigger.hash, pass: topicLinks },
  { triggers: trigger.hash, pass: channelLinks },
  { triggers: trigger.less, pass: times },
  { triggers: trigger.at, pass: groupMentions },
  { triggers: trigger.bracket, pass: links },
  { triggers: trigger.bracket, pass: audio },
  { triggers: trigger.bracket, pass: images },
  { triggers: trigger.dot | trigger.colon | trigger.at, pass: bareUrlsIfAny },
  { triggers: trigger.always, pass: linkifiers },
  { triggers: trigger.ampersand, pass: entities },
  { triggers: trigger.star, pass: strong },
  { triggers: trigger.star, pass: emphasis },
  { triggers: trigger.tilde, pass: strikethrough },
  { triggers: trigger.colon, pass: namedEmoji },
  { triggers: trigger.emoticon, pass: emoticonEmoji },
  { triggers: trigger.newline, pass: lineBreaks },
  { triggers: trigger.beyondAscii, pass: unicodeEmoji },
];

function applyFrom(first: number, text: string, rendering: InlineRendering): string {
  const found = triggersIn(text) | trigger.always;
  let current = text;
  for (let index = first; index < steps.length; index++) {
    const step = steps[index];
    if (step === undefined || (step.triggers & found) === 0) continue;
    current = step.pass(current, rendering, (inner) => applyFrom(index + 1, inner, rendering));
  }
  return current;
}

/** Applies all patterns. */
export const applyPatterns = (text: string, rendering: InlineRendering): string => applyFrom(0, text, rendering);
