import { expect, test } from "vitest";
import { renderMarkdown } from "../../../markdown/render.ts";
import { quotedHtml } from "./quoted-html.ts";

const site = "https://chat.example.com";

test.for([
  [
    "words",
    "**bold** *kursiv* ~~old~~ `a < b`",
    "<p><strong>bold</strong> <em>kursiv</em> <del>old</del> <code>a &lt; b</code></p>",
  ],
  ["lines", "one\ntwo", "<p>one<br>\ntwo</p>"],
  ["a link", "[here](https://example.com/?a=1&b=2)", '<p><a href="https://example.com/?a=1&amp;b=2">here</a></p>'],
  ["an emoji", "fine :smile:", "<p>fine 😄</p>"],
  [
    "markup as text",
    "<b>x</b> & <img src=x onerror=y>",
    "<p>&lt;b&gt;x&lt;/b&gt; &amp; &lt;img src=x onerror=y&gt;</p>",
  ],
])("%s", ([, markdown, html]) => {
  expect(quotedHtml(renderMarkdown(markdown ?? "").html, site).text).toBe(html);
});

test.for([
  [
    "a formula",
    '<p><span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>x</mi></mrow><annotation encoding="application/x-tex">x</annotation></semantics></math></span><span aria-hidden="true" class="katex-html">x</span></span></p>',
    "<p><code>x</code></p>",
  ],
  [
    "a relative link",
    '<p><a href="/user_uploads/1/a/b.txt">b.txt</a></p>',
    `<p><a href="${site}/user_uploads/1/a/b.txt">b.txt</a></p>`,
  ],
  ["a link to a message", '<p><a href="#narrow/near/5">it</a></p>', `<p><a href="${site}/#narrow/near/5">it</a></p>`],
  ["a script URL", '<p><a href="javascript:alert(1)">it</a></p>', "<p>it</p>"],
  [
    "a custom emoji",
    '<p><img alt=":ours:" class="emoji" src="/user_avatars/1/emoji/x.png" title="ours"></p>',
    "<p>:ours:</p>",
  ],
  [
    "a picture next to its link",
    '<p><a href="/x.png">x</a></p><div class="message_inline_image"><a href="/x.png" title="x"><img src="/x.png"></a></div>',
    `<p><a href="${site}/x.png">x</a></p>`,
  ],
  [
    "a picture alone",
    '<div class="message_inline_image"><a href="/x.png" title="x"><img src="/x.png"></a></div>',
    `<p><a href="${site}/x.png">x</a></p>`,
  ],
  [
    "a spoiler",
    '<div class="spoiler-block"><div class="spoiler-header">\n<p>The end</p>\n</div><div class="spoiler-content" aria-hidden="true">\n<p>He dies</p>\n</div></div>',
    "<p>The end (…)</p>",
  ],
  [
    "code",
    '<div class="codehilite" data-code-language="Python"><pre><span></span><code><span class="nb">print</span>(1 &lt; 2)\n</code></pre></div>',
    "<pre><code>print(1 &lt; 2)\n</code></pre>",
  ],
  [
    "classes and other attributes",
    '<p class="x" onclick="y"><span class="user-mention" data-user-id="7">@Ann</span></p>',
    "<p>@Ann</p>",
  ],
])("rendered: %s", ([, rendered, html]) => {
  expect(quotedHtml(rendered ?? "", site).text).toBe(html);
});
