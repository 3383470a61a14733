import { expect, test } from "vitest";
import { toMarkdown } from "./html-to-markdown.ts";

test.each([
  ["emphasis", "<p>a <b>bold</b> and <em>soft</em> <del>gone</del> word</p>", "a **bold** and *soft* ~~gone~~ word"],
  ["spaces stay outside of marks", "<b>bold </b>text", "**bold** text"],
  [
    "a document in a b of normal weight",
    '<b style="font-weight:normal"><p>plain</p><p>words</p></b>',
    "plain\n\nwords",
  ],
  ["bold by style", '<span style="font-weight:700">strong</span>', "**strong**"],
  ["a link", '<a href="https://x.com/a">the plan</a>', "[the plan](https://x.com/a)"],
  ["a URL that is its own text", '<a href="https://x.com/">https://x.com</a>', "https://x.com"],
  ["paragraphs and breaks", "<p>one<br>two</p><p>three</p>", "one\ntwo\n\nthree"],
  ["headings", "<h2>Title</h2><p>text</p>", "## Title\n\ntext"],
  ["lists", "<ul><li>one<ul><li>deep</li></ul></li><li>two</li></ul>", "* one\n  * deep\n* two"],
  ["numbered lists", '<ol start="3"><li>three</li><li>four</li></ol>', "3. three\n4. four"],
  ["a quote", "<blockquote><p>said</p><p>more</p></blockquote>", "> said\n>\n> more"],
  ["code", "run <code>ls -l</code>", "run `ls -l`"],
  ["a block of code", '<pre><code class="language-js">let a;\nlet b;\n</code></pre>', "```js\nlet a;\nlet b;\n```"],
  [
    "a table",
    "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2|3</td></tr></table>",
    "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |",
  ],
  ["our own mention", '<p><span class="user-mention" data-user-id="3">@Ada</span> hi</p>', "@**Ada** hi"],
  ["our own topic", '<a class="stream-topic" href="#x">#design &gt; logo</a>', "#**design>logo**"],
  ["nothing that runs", "<p>a<script>alert(1)</script><style>b{}</style></p>", "a"],
])("%s", (_, html, markdown) => {
  const page = document.createElement("div");
  page.innerHTML = html;
  expect(toMarkdown(page)).toBe(markdown);
});
