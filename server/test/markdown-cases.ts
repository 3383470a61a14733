/**
 * Compares the renderer with the recorded cases of the dialect, byte for byte, and counts by family.
 *
 * The cases are beside the project, in ../shared/reference. In highlighted code, spans with a class are removed on both
 * sides, since we use a different highlighter; the language's name must match. Known failures are in
 * markdown-known-misses.json with their reasons; any other failure, and a listed case that passes, fails the run.
 */
import { createHmac } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { compileLinkifier } from "../src/domain/organization/linkifiers/compile.ts";
import { codeHighlighter } from "../src/domain/messages/markdown/highlight.ts";
import { mathRenderer } from "../src/domain/messages/markdown/math.ts";
import type { MarkdownContext, UploadedImage, UrlEmbedData } from "../src/markdown/context.ts";
import { contentHtmlDiff } from "../src/markdown/html-diff.ts";
import { textOf } from "../src/markdown/notification-text.ts";
import { type RenderedMarkdown, renderMarkdown } from "../src/markdown/render.ts";
import { topicLinks } from "../src/markdown/topic-links.ts";
import { widgetSubmessage } from "../src/markdown/widgets.ts";

const reference = new URL("../../../shared/reference/", import.meta.url);

/** Whether the recorded cases are available. */
export const hasReferenceCases = existsSync(reference);

/** Expected results, in the format of the cases. */
type Result = Readonly<Record<string, unknown>>;

interface Case {
  id: string;
  family: string;
  input: unknown;
  expected: Result;
  actual: () => Result;
}

export interface CaseResult {
  id: string;
  family: string;
  input: unknown;
  expected: Result;
  actual: Result;
  passed: boolean;
}

interface CaseContext {
  realm_url?: string;
  realm_id?: number;
  users?: MarkdownContext["users"];
  groups?: MarkdownContext["groups"];
  channels?: { stream_id: number; name: string; topics?: Record<string, number> }[];
  realm_emoji?: MarkdownContext["realmEmoji"];
  linkifiers?: { pattern: string; url_template: string }[];
  alert_words?: Record<string, string[]>;
  translate_emoticons?: boolean;
  sent_by_bot?: boolean;
  default_code_block_language?: string;
  email_gateway?: boolean;
  enable_file_links?: boolean;
  inline_image_preview?: boolean;
  inline_url_embed_preview?: boolean;
  url_embed_data?: Record<string, UrlEmbedData | null>;
  open_graph?: Record<string, UrlEmbedData>;
  uploads?: ({ path_id: string } & UploadedImage)[];
  attachments?: { path_id: string; content_type: string }[];
  camo?: { uri: string; key: string };
}

interface ContextCase {
  id: string;
  family: string;
  input: string;
  context: CaseContext;
  expected_html?: string;
  expected_topic_links?: { text: string; url: string }[];
  expected_submessage?: { content: unknown } | null;
  effects?: Record<string, unknown>;
}

interface DiffInput {
  prev_rendered_content: string;
  rendered_content: string;
}

/** Input, expected HTML with a placeholder for the link, and the link's URL. */
type LinkifyCase = [string, string, string];

interface RegularCase {
  name: string;
  input: string;
  expected_output: string;
  text_content?: string;
  translate_emoticons?: boolean;
}

/** Cases whose result is another at the level that we speak. */
interface Change {
  id: string;
  expected_output?: string;
  expected_html?: string;
  text_content?: string;
  effects?: Record<string, unknown>;
}

/** A case of a later level; cases with a context are regular ones here. */
type LaterCase = RegularCase & { level: number | string; context?: CaseContext & Record<string, unknown> };

const probe = new URL("../../../shared/levels-probe/", import.meta.url);
const readLater = <T>(name: string, none: T): T =>
  // As the document beside the files describes them.
  existsSync(new URL(name, probe)) ? (JSON.parse(readFileSync(new URL(name, probe), "utf8")) as T) : none;
const changes = new Map(
  readLater<{ changed: Change[] }>("markdown-changes-365-to-467.json", { changed: [] }).changed.map((change) => [
    change.id,
    change,
  ]),
);
const laterCases = () =>
  readLater<{ regular_tests: LaterCase[]; linkify_tests: LinkifyCase[] }>("markdown-cases-467.json", {
    regular_tests: [],
    linkify_tests: [],
  });
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, reference), "utf8"));

// The files are kept beside the project; the document that comes with them describes their format.
const readCases = () => {
  const { regular_tests, linkify_tests } = read("markdown-cases.json") as {
    regular_tests: RegularCase[];
    linkify_tests: LinkifyCase[];
  };
  return { regular_tests: regular_tests.map((one) => ({ ...one, ...changes.get(one.name) })), linkify_tests };
};
const readFamilies = () => read("markdown-case-families.json") as { cases: Record<string, { family: string }> };
const readContextCases = () =>
  (read("markdown-context-cases.json") as ContextCase[]).map((one) => ({ ...one, ...changes.get(one.id) }));

const proxy =
  ({ uri, key }: { uri: string; key: string }) =>
  (url: string): string =>
    `${uri}${createHmac("sha1", key).update(url).digest("hex")}/${Buffer.from(url).toString("hex")}`;

const present = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  // `undefined` is left out, so what remains has no `undefined` in it.
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

function toContext(context: CaseContext): MarkdownContext {
  const { camo, uploads, attachments, url_embed_data, open_graph, alert_words } = context;
  const embedData = url_embed_data ?? open_graph;
  return {
    highlight: codeHighlighter(),
    renderMath: mathRenderer(),
    ...present({
      realmUrl: context.realm_url,
      realmId: context.realm_id,
      users: context.users,
      groups: context.groups,
      channels: context.channels?.map(({ topics, ...channel }) => ({
        ...channel,
        ...(topics && { topics: new Map(Object.entries(topics)) }),
      })),
      realmEmoji: context.realm_emoji,
      linkifiers: context.linkifiers?.map(compileLinkifier),
      alertWords:
        alert_words && new Map(Object.entries(alert_words).map(([user, words]) => [Number(user), words] as const)),
      translateEmoticons: context.translate_emoticons,
      sentByBot: context.sent_by_bot,
      defaultCodeBlockLanguage: context.default_code_block_language,
      emailGateway: context.email_gateway,
      enableFileLinks: context.enable_file_links,
      inlineImagePreview: context.inline_image_preview,
      inlineUrlEmbedPreview: context.inline_url_embed_preview,
      urlEmbedData: embedData && new Map(Object.entries(embedData)),
      uploads: uploads && new Map(uploads.map(({ path_id, ...upload }) => [path_id, upload] as const)),
      attachments:
        attachments && new Map(attachments.map(({ path_id, content_type }) => [path_id, content_type] as const)),
      proxyUrl: camo && proxy(camo),
    }),
  };
}

const codeBlock = /(<div class="codehilite"[^>]*><pre><span><\/span><code>)([^]*?)(<\/code><\/pre><\/div>)/g;
const classSpan = /<span class="[^"]+">|<\/span>/g;

const withoutClassSpans = (html: string): string =>
  html.replaceAll(
    codeBlock,
    (_found, start: string, code: string, end: string) => start + code.replaceAll(classSpan, "") + end,
  );

/** Missing lists and flags of a case are empty or false. */
function effectsOf(effects: Record<string, unknown>): Result {
  const sorted = (name: string): unknown => [...((effects[name] ?? []) as string[] | number[])].map(String).toSorted();
  return {
    mentions_user_ids: sorted("mentions_user_ids"),
    mentions_user_group_ids: sorted("mentions_user_group_ids"),
    mentions_stream_wildcard: effects["mentions_stream_wildcard"] ?? false,
    mentions_topic_wildcard: effects["mentions_topic_wildcard"] ?? false,
    user_ids_with_alert_words: sorted("user_ids_with_alert_words"),
    links_for_preview: sorted("links_for_preview"),
    potential_attachment_path_ids: sorted("potential_attachment_path_ids"),
    thumbnail_spinners: sorted("thumbnail_spinners"),
    has_link: effects["has_link"] ?? false,
    has_image: effects["has_image"] ?? false,
  };
}

const toEffects = (rendered: RenderedMarkdown): Result =>
  effectsOf({
    mentions_user_ids: rendered.mentionedUserIds,
    mentions_user_group_ids: rendered.mentionedGroupIds,
    mentions_stream_wildcard: rendered.mentionsChannel,
    mentions_topic_wildcard: rendered.mentionsTopic,
    user_ids_with_alert_words: rendered.userIdsWithAlertWords,
    links_for_preview: rendered.linksForPreview,
    potential_attachment_path_ids: rendered.attachmentPathIds,
    thumbnail_spinners: rendered.thumbnailSpinners,
    has_link: rendered.hasLink,
    has_image: rendered.hasImage,
  });

function toContextCase({ id, family, input, context, effects, ...expected }: ContextCase): Case {
  const about = { id, family, input };
  switch (family) {
    case "topic_links":
      return {
        ...about,
        expected: { links: expected.expected_topic_links },
        actual: () => ({ links: topicLinks(input, toContext(context).linkifiers) }),
      };
    case "widget_submessage":
      return {
        ...about,
        expected: { content: expected.expected_submessage?.content },
        actual: () => ({ content: widgetSubmessage(input) }),
      };
    case "content_html_diff": {
      // The one family whose input is two texts.
      const { prev_rendered_content, rendered_content } = input as unknown as DiffInput;
      return {
        ...about,
        expected: { html: expected.expected_html },
        actual: () => ({ html: contentHtmlDiff(prev_rendered_content, rendered_content) }),
      };
    }
    default:
      return {
        ...about,
        expected: {
          html: withoutClassSpans(expected.expected_html ?? ""),
          ...(effects !== undefined && { effects: effectsOf(effects) }),
        },
        actual: () => {
          const rendered = renderMarkdown(input, toContext(context));
          return {
            html: withoutClassSpans(rendered.html),
            ...(effects !== undefined && { effects: toEffects(rendered) }),
          };
        },
      };
  }
}

const regularContext: CaseContext = {
  realm_url: "http://zulip.testserver",
  users: [{ user_id: 7, full_name: "Zoe" }],
  camo: { uri: "https://external-content.zulipcdn.net/external_content/", key: "dummy" },
};

function regularCases(): Case[] {
  const { cases: families } = readFamilies();
  return readCases().regular_tests.map(({ name, input, expected_output, translate_emoticons = false }) => ({
    id: name,
    family: families[name]?.family ?? "",
    input,
    expected: { html: withoutClassSpans(expected_output) },
    actual: () => ({
      html: withoutClassSpans(renderMarkdown(input, toContext({ ...regularContext, translate_emoticons })).html),
    }),
  }));
}

/** The text of notifications is derived from the case's HTML. */
function notificationCases(): Case[] {
  return readCases()
    .regular_tests.filter(({ text_content }) => text_content !== undefined)
    .map(({ name, input, expected_output, text_content }) => ({
      id: `${name} as text`,
      family: "notification_text",
      input,
      expected: { text: text_content },
      actual: () => ({ text: textOf(expected_output) }),
    }));
}

function linkifyCases(): Case[] {
  return [...readCases().linkify_tests, ...laterCases().linkify_tests].map(([input, expected, url], index) => {
    const href = url.startsWith("http") ? url : `${url.includes("@") ? "mailto:" : "http://"}${url}`;
    return {
      id: `linkify-${index + 1}`,
      family: "linkify",
      input,
      expected: { html: expected.replace("%s", () => `<a href="${href}">${url}</a>`) },
      actual: () => ({ html: renderMarkdown(input, toContext(regularContext)).html }),
    };
  });
}

const contextCases = (): Case[] => readContextCases().map(toContextCase);

function casesOfLaterLevels(): Case[] {
  return laterCases().regular_tests.map(
    ({ name, level, input, expected_output, translate_emoticons = false, context }) => ({
      id: name,
      family: `level ${level}`,
      input,
      expected: { html: withoutClassSpans(expected_output) },
      actual: () => ({
        html: withoutClassSpans(renderMarkdown(input, toContext({ translate_emoticons, ...context })).html),
      }),
    }),
  );
}

const groups = {
  regular: regularCases,
  later: casesOfLaterLevels,
  linkify: linkifyCases,
  context: contextCases,
  "notification text": notificationCases,
};

export type CaseGroup = keyof typeof groups;

export function runCases(group: CaseGroup): CaseResult[] {
  return groups[group]().map(({ actual, ...about }) => {
    const result = actual();
    return { ...about, actual: result, passed: isDeepStrictEqual(result, about.expected) };
  });
}

/** Known failures: reasons by case id. */
export const knownMisses = (): Record<string, string> =>
  // Written by us: ids and reasons.
  JSON.parse(readFileSync(new URL("markdown-known-misses.json", import.meta.url), "utf8")) as Record<string, string>;

export const caseGroups = Object.keys(groups) as CaseGroup[];
