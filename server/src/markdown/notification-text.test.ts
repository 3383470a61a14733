import { expect, test } from "vitest";
import { maxNotificationLength, notificationText, textOf } from "./notification-text.ts";

test.each([
  ["text and line breaks", "<p>a<br>\nb &lt;c&gt;</p>", "a\nb <c>"],
  [
    "emoji are characters",
    '<p><span aria-label="tea" class="emoji emoji-1f375" role="img" title="tea">:tea:</span>!</p>',
    "🍵!",
  ],
  ["an image is its name", '<p><img alt=":cat:" class="emoji" src="/x.png" title="cat"></p>', ":cat:"],
  ["a quote is marked on every line", "<blockquote>\n<p>a<br>\nb</p>\n<p>c</p>\n</blockquote>", "> a\n> b\n> c\n"],
  ["a quote next to other text is collapsed", "<blockquote>\n<p>a</p>\n</blockquote>\n<p>yes</p>", "[…]yes"],
  [
    "numbered lists have their numbers",
    '<ol start="4">\n<li>a</li>\n<li>b<ol>\n<li>c</li>\n</ol>\n</li>\n</ol>',
    "4. a\n5. b\n  1. c",
  ],
  [
    "a spoiler keeps its secret",
    '<div class="spoiler-block"><div class="spoiler-header">\n<p>end</p>\n</div><div class="spoiler-content" aria-hidden="true">\n<p>x</p>\n</div></div>',
    "end (…)\n",
  ],
  [
    "math is its source",
    '<p>is <span class="katex"><span class="katex-mathml"><math><semantics><annotation encoding="application/x-tex">a &lt; b</annotation></semantics></math></span></span></p>',
    "is $$a < b$$",
  ],
])("%s", (_, html, text) => {
  expect(textOf(html)).toBe(text);
});

test("the line that names a quote's author is collapsed with the quote", () => {
  const said =
    '<p><span class="user-mention silent" data-user-id="7">Ann</span> <a href="#narrow/channel/1-a/topic/b/near/5">said</a>:</p>';

  expect(textOf(`${said}\n<blockquote>\n<p>a</p>\n</blockquote>\n<p>yes</p>`)).toBe("[…]\nyes");
  expect(textOf(`${said}\n<p>yes</p>`)).toBe("[…]yes");
});

test("a notification shows the beginning of a long message", () => {
  const long = "🍵".repeat(maxNotificationLength + 1);

  expect(notificationText(`<p>${long}</p>`)).toBe(`${"🍵".repeat(maxNotificationLength)}…`);
  expect(notificationText("<p>short</p>")).toBe("short");
});
