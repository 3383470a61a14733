/**
 * Messages in a real browser. Nothing that anybody can write may run, load from elsewhere, lead to a script, or become
 * an element, attribute or address that docs/markdown.md does not name.
 */
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { compileLinkifier } from "../src/domain/organization/linkifiers/compile.ts";
import { codeHighlighter } from "../src/domain/messages/markdown/highlight.ts";
import { mathRenderer } from "../src/domain/messages/markdown/math.ts";
import { signedProxyUrl } from "../src/domain/messages/previews/proxy-url.ts";
import type { MarkdownContext, UrlEmbedData } from "../src/markdown/context.ts";
import { renderMarkdown } from "../src/markdown/render.ts";
import { origin, WatchedPage } from "./browser.ts";
import { documentedHtml } from "./documented-html.ts";
import { constructs, vectors, woven } from "./markdown-attacks.ts";
import { signs } from "./markdown-signs.ts";

let page: WatchedPage;
beforeAll(async () => {
  page = await WatchedPage.open();
});

/** Names can be any text: uses each attack as the name of a user, a group, a channel and a topic. */
const names = vectors.filter((vector) => !vector.includes("*") && !vector.includes("\0"));

const pages: UrlEmbedData[] = vectors.flatMap((vector) => [
  { title: vector, description: vector, image: `http://x.com/${vector}` },
  { title: vector, image: vector },
]);

const context: MarkdownContext = {
  realmUrl: origin,
  users: names.map((full_name, index) => ({ user_id: index + 1, full_name })),
  groups: names.map((name, index) => ({ id: index + 1, name })),
  channels: ["Denmark", ...names].map((name, index) => ({
    stream_id: index + 1,
    name,
    topics: new Map(names.map((topic) => [topic, 5])),
  })),
  realmEmoji: [{ name: "custom", source_url: "/user_avatars/2/emoji/images/1.png" }],
  linkifiers: [
    { pattern: "#(?P<id>[0-9].*)", url_template: "https://trac.example.com/{id}" },
    { pattern: "TICKET-(?P<id>.+)", url_template: "{+id}" },
  ].map(compileLinkifier),
  translateEmoticons: true,
  enableFileLinks: true,
  inlineUrlEmbedPreview: true,
  uploads: new Map([
    ["1/a.png", { width: 1, height: 1, content_type: "image/png", thumbnail_url: "/user_uploads/thumbnail/1/a.png" }],
    ["1/b.png", { width: 1, height: 1, content_type: 'image/png"><script>alert(1)</script>' }],
  ]),
  proxyUrl: (url) => signedProxyUrl({ secret: "of no importance" }, url),
};

const render = (text: string, more: MarkdownContext = {}): string =>
  renderMarkdown(text, { ...context, highlight: codeHighlighter(), renderMath: mathRenderer(), ...more }).html;

const embeds = (): string[] =>
  pages.flatMap((data) =>
    ["http://x.com/page", "https://youtu.be/abc", "https://vimeo.com/1", "https://www.dropbox.com/sh/a"].flatMap(
      (url) =>
        [
          data,
          { ...data, oembed: true, type: "photo" },
          { ...data, oembed: true, type: "video", html: data.title ?? "" },
        ]
          // The server does not request oEmbed data, but the renderer must be safe with it anyway.
          .map((urlEmbedData) => render(url, { urlEmbedData: new Map([[url, urlEmbedData]]) })),
    ),
  );

const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...signs) },
  { weight: 1, arbitrary: fc.constantFrom(...vectors) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...constructs), fc.constantFrom(...constructs), fc.constantFrom(...vectors))
      .map(([outer, inner, vector]) => outer.replaceAll("X", () => inner.replaceAll("X", () => vector))),
  },
);
const randomTexts = fc.array(piece, { minLength: 1, maxLength: 25 }).map((pieces) => pieces.join(""));

const { SEED: seed = "1" } = process.env;
const generated = (): string[] => fc.sample(randomTexts, { numRuns: 2000, seed: Number(seed) });

/** Several messages per page: opening a page takes as long as a hundred messages. */
async function problemsOf(messages: readonly string[]): Promise<string[]> {
  const documented = documentedHtml();
  const problems: string[] = [];
  for (let first = 0; first < messages.length; first += 500) {
    const some = messages.slice(first, first + 500);
    await page.show(some);
    problems.push(...(await page.inspect(documented)), ...(await page.press()));
  }
  return problems;
}

test("no message text has an effect in the browser, wherever it is shown", async () => {
  const messages = [...new Set([...woven(), ...generated()])].map((text) => render(text));

  expect(messages.length).toBeGreaterThan(5000);
  expect((await problemsOf(messages)).slice(0, 10)).toEqual([]);
});

test("no metadata of a linked page has an effect in the browser", async () => {
  const messages = embeds();

  expect((await problemsOf(messages)).slice(0, 10)).toEqual([]);
});

test.each([
  ["<script>alert(1)</script>", /dialog: 1/],
  ["<script>alert(1)</script>", /policy: script-src-elem/],
  ["<img src=http://evil.example/ onerror=alert(1)>", /dialog: 1/],
  ["<img src=x onerror=void(0)>", /policy: script-src-attr/],
  ["<img src=x onerror=void(0)>", /attribute onerror/],
  ['<img src="http://evil.example/x.png">', /request: http:\/\/evil\.example\/x\.png/],
  ['<img src="http://evil.example/x.png">', /policy: img-src/],
  ['<img src="http://evil.example/x.png">', /^source: /],
  ['<a href="javascript:alert(1)">x</a>', /dialog: 1/],
  ['<a href="javascript:void(0)">x</a>', /^scheme: /],
  ['<a href="data:text/html,x">x</a>', /^scheme: /],
  ["<svg onload=alert(1)></svg>", /dialog: 1/],
  ["<b onmouseover=alert(1)>x</b>", /dialog: 1/],
  ["<iframe srcdoc='x'></iframe>", /^frame$/],
  ["<form><button>x</button></form>", /element form/],
  ["<style>p{color:red}</style>", /element style/],
  ['<p style="background:url(http://evil.example/y.png)">x</p>', /request: http:\/\/evil\.example\/y\.png/],
  ['<table><tr><td style="background:url(http://evil.example/z.png)">x</table>', /^style: /],
  ["<meta http-equiv=refresh content='0;url=http://evil.example/'>", /element meta/],
  ["<base href=http://evil.example/>", /element base/],
  ["</div><p>x</p>", /a message has left its place/],
  ["</div></main><p>x</p>", /something stands beside the messages/],
  ["<!-- x -->", /^comment: /],
  ["<p id=x>x</p>", /attribute id/],
])("the test page detects %s (%s)", async (html, expected) => {
  expect(await problemsOf([html])).toContainEqual(expect.stringMatching(expected));
});

test("the test page reports nothing for an ordinary message", async () => {
  const text = "**Hi** @**King** :custom: https://x.com/a.png `code` $$x^2$$ [up](/user_uploads/1/a.png)";

  expect(await problemsOf([render(text)])).toEqual([]);
});
