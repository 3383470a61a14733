import { expect, test } from "vitest";
import type { MarkdownContext } from "./context.ts";
import { renderMarkdown } from "./render.ts";

const proxyUrl = (url: string): string => `/proxy?${url}`;
const context: MarkdownContext = { realmUrl: "https://chat.example.com", proxyUrl };

const picture = (url: string, title = ""): string =>
  `<div class="message_inline_image"><a href="${url}"${title}><img src="/proxy?${url}"></a></div>`;

test("a picture takes the place of a URL that stands alone", () => {
  const { html, hasImage } = renderMarkdown("http://example.com/a.png", context);

  expect(html).toBe(picture("http://example.com/a.png"));
  expect(hasImage).toBe(true);
});

test("pictures follow their paragraph in the order of their links", () => {
  const { html } = renderMarkdown("[a](http://x.com/a.png) [b](http://x.com/b.gif)\n\nend", context);

  expect(html).toMatch(/^<p>.*<\/p>\n/);
  expect(html).toContain(
    `${picture("http://x.com/a.png", ' title="a"')}${picture("http://x.com/b.gif", ' title="b"')}<p>end</p>`,
  );
});

test("a link in a quote, or a second time, gets no picture", () => {
  expect(renderMarkdown("> http://x.com/a.png", context).html).not.toContain("<img");
  expect(renderMarkdown("http://x.com/a.png http://x.com/a.png", context).html.match(/<img/g)).toHaveLength(1);
});

test("a message with more than 24 links gets no pictures", () => {
  const urls = (count: number): string =>
    Array.from({ length: count }, (_, index) => `http://x.com/${index}.png`).join(" ");

  expect(renderMarkdown(urls(24), context).html.match(/<img/g)).toHaveLength(24);
  expect(renderMarkdown(urls(25), context).html).not.toContain("<img");
});

test("an upload waits for its thumbnail", () => {
  const upload = { width: 30, height: 20, content_type: "image/png" };
  const render = (more: { thumbnail_url?: string }) =>
    renderMarkdown("[cat](/user_uploads/1/cat.png)", {
      ...context,
      uploads: new Map([["1/cat.png", { ...upload, ...more }]]),
    });

  expect(render({})).toMatchObject({ thumbnailSpinners: ["1/cat.png"], attachmentPathIds: ["1/cat.png"] });
  expect(render({}).html).toContain('class="image-loading-placeholder"');
  expect(render({ thumbnail_url: "/thumbnail/cat.webp" })).toMatchObject({ thumbnailSpinners: [] });
  expect(render({ thumbnail_url: "/thumbnail/cat.webp" }).html).toContain(
    '<img data-original-content-type="image/png" data-original-dimensions="30x20" src="/thumbnail/cat.webp">',
  );
});

test("a page is asked for first and shown then", () => {
  const on: MarkdownContext = { ...context, inlineUrlEmbedPreview: true };
  const page = { title: "A <page>", description: "About it", image: 'http://x.com/"i".png' };

  expect(renderMarkdown("http://x.com/", on).linksForPreview).toEqual(["http://x.com/"]);
  const { html, linksForPreview } = renderMarkdown("http://x.com/", {
    ...on,
    urlEmbedData: new Map([["http://x.com/", page]]),
  });
  expect(linksForPreview).toEqual([]);
  expect(html).toContain('style="background-image: url(&quot;/proxy?http://x.com/\\&quot;i\\&quot;.png&quot;)"');
  expect(html).toContain('<a href="http://x.com/" title="A &lt;page&gt;">A &lt;page&gt;</a>');
});

test("bots do not ask for pages", () => {
  const bot: MarkdownContext = { ...context, inlineUrlEmbedPreview: true, sentByBot: true };

  expect(renderMarkdown("http://x.com/", bot).linksForPreview).toEqual([]);
});

test("what a page says of itself cannot forge a mark", () => {
  const page = { title: "\u0003\ue000\ue000", description: "\u0003\ue000\ue000", image: "http://x.com/i.png" };
  const data = new Map([["http://x.com/", page]]);
  const text = "```spoiler a\nb\n```\nhttp://x.com/";

  const { html } = renderMarkdown(text, { ...context, inlineUrlEmbedPreview: true, urlEmbedData: data });

  expect(html.match(/spoiler-block/g)).toHaveLength(1);
});
