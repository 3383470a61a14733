import { expect, test } from "vitest";
import type { MarkdownContext } from "./context.ts";
import { renderMarkdown } from "./render.ts";

const proxyUrl = (url: string): string => `/proxy?${url}`;
const context: MarkdownContext = { realmUrl: "https://chat.example.com", proxyUrl };

const picture = (url: string, title = ""): string =>
  `<div class="message_inline_image"><a href="${url}"${title}><img src="/proxy?${url}"></a></div>`;

test("an image replaces a URL that stands alone", () => {
  const { html, hasImage } = renderMarkdown("http://example.com/a.png", context);

  expect(html).toBe(picture("http://example.com/a.png"));
  expect(hasImage).toBe(true);
});

test("images follow their paragraph in the order of their links", () => {
  const { html } = renderMarkdown("[a](http://x.com/a.png) [b](http://x.com/b.gif)\n\nend", context);

  expect(html).toMatch(/^<p>.*<\/p>\n/);
  expect(html).toContain(
    `${picture("http://x.com/a.png", ' title="a"')}${picture("http://x.com/b.gif", ' title="b"')}<p>end</p>`,
  );
});

test("a link in a quote, or a repeated link, gets no image", () => {
  expect(renderMarkdown("> http://x.com/a.png", context).html).not.toContain("<img");
  expect(renderMarkdown("http://x.com/a.png http://x.com/a.png", context).html.match(/<img/g)).toHaveLength(1);
});

test("a message with more than 24 links gets no images", () => {
  const urls = (count: number): string =>
    Array.from({ length: count }, (_, index) => `http://x.com/${index}.png`).join(" ");

  expect(renderMarkdown(urls(24), context).html.match(/<img/g)).toHaveLength(24);
  expect(renderMarkdown(urls(25), context).html).not.toContain("<img");
});

test("an upload has a placeholder until its thumbnail exists", () => {
  const upload = { width: 30, height: 20, content_type: "image/png" };
  const render = (more: { thumbnail_url?: string }) =>
    renderMarkdown("[cat](/user_uploads/1/cat.png)", {
      ...context,
      uploads: new Map([["1/cat.png", { ...upload, ...more }]]),
    });

  expect(render({})).toMatchObject({ thumbnailSpinners: ["1/cat.png"], attachmentPathIds: ["1/cat.png"] });
  expect(render({}).html).toContain('class="image-loading-placeholder"');
  expect(render({ thumbnail_url: "/user_uploads/thumbnail/1/cat.png/840x560.webp" })).toMatchObject({
    thumbnailSpinners: [],
  });
  expect(render({ thumbnail_url: "/user_uploads/thumbnail/1/cat.png/840x560.webp" }).html).toContain(
    '<img data-original-content-type="image/png" data-original-dimensions="30x20" src="/user_uploads/thumbnail/1/cat.png/840x560.webp">',
  );
});

test("a page is fetched first and then shown", () => {
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

test("messages from bots do not fetch pages", () => {
  const bot: MarkdownContext = { ...context, inlineUrlEmbedPreview: true, sentByBot: true };

  expect(renderMarkdown("http://x.com/", bot).linksForPreview).toEqual([]);
});

test("a page's metadata cannot forge a mark", () => {
  const page = { title: "\u0003\ue000\ue000", description: "\u0003\ue000\ue000", image: "http://x.com/i.png" };
  const data = new Map([["http://x.com/", page]]);
  const text = "```spoiler a\nb\n```\nhttp://x.com/";

  const { html } = renderMarkdown(text, { ...context, inlineUrlEmbedPreview: true, urlEmbedData: data });

  expect(html.match(/spoiler-block/g)).toHaveLength(1);
});

test.each([
  ["[x](/accounts/login/subdomain/t&quest;.png)"],
  ["[x](/accounts/login/subdomain/t.png)"],
  ["[x](/accounts/login/subdomain/t&#63;.mp4)"],
  ["https://chat.example.com/accounts/x.png"],
  ["https://CHAT.example.com:443/accounts/x.png"],
  ["[x](https://a@chat.example.com/accounts/x.png)"],
  ["http://chat.example.com/accounts/x.png"],
  ["[x](/user_uploads/..&sol;accounts/x.mp4)"],
  ["[x](/user_avatars/%2e%2e/accounts/x.png)"],
  ["[x](/user_avatars/..%2faccounts/x.png)"],
])("no reader's browser is made to open a page of ours: %s", (text) => {
  const { html, hasImage } = renderMarkdown(text, { ...context, inlineUrlEmbedPreview: true });

  expect(html).toMatch(/^<p><a [^>]*>[^<]*<\/a><\/p>$/);
  expect(hasImage).toBe(false);
});

test("a file on our own host is loaded directly", () => {
  for (const address of ["/user_avatars/1/a.png", "/static/images/a.png"])
    expect(renderMarkdown(`[x](${address})`, context).html).toContain(`<img src="${address}">`);
});

test.each([
  ["[x](/&sol;evil.example.com/p.png)", "http://evil.example.com/p.png"],
  ["[x](/&bsol;evil.example.com/p.png)", "https://evil.example.com/p.png"],
  [String.raw`[x](/\evil.example.com/p.png)`, "https://evil.example.com/p.png"],
  ["[x](&#47;&#x2f;evil.example.com/p.mp4)", "http://evil.example.com/p.mp4"],
])("another host is another host however it is written: %s", (text, address) => {
  expect(renderMarkdown(text, context).html).toContain(` src="${proxyUrl(address)}"`);
});

test("a page cannot use a page on our own host as its image", () => {
  const urlEmbedData = new Map([
    ["http://x.com/", { title: "A page", image: "https://chat.example.com/accounts/login/subdomain/t" }],
  ]);

  expect(renderMarkdown("http://x.com/", { ...context, inlineUrlEmbedPreview: true, urlEmbedData }).html).toBe(
    '<p><a href="http://x.com/">http://x.com/</a></p>',
  );
});
