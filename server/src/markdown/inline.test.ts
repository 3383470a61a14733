import { expect, test } from "vitest";
import { renderMarkdown } from "./render.ts";

const heart = '<span aria-label="heart" class="emoji emoji-2764" role="img" title="heart">:heart:</span>';

test.for([
  ["*a* **b** ***c*** ~~d~~", "<em>a</em> <strong>b</strong> <strong><em>c</em></strong> <del>d</del>"],
  ["2 * 3 * 4", "2 * 3 * 4"],
  ["*a *b* c*", "<em>a <em>b</em> c</em>"],
  ["**a *b* c**", "<strong>a <em>b</em> c</strong>"],
  ["snake_case_name and __init__", "snake_case_name and __init__"],
  ["\\*a\\*", "\\<em>a\\</em>"],
  ["a & b &copy; <b>", "a &amp; b &copy; &lt;b&gt;"],
  ["2&#42;3&#42;4 **5&#42;6&#42;7** &#64;", "2*3*4 <strong>5*6*7</strong> &#64;"],
  [":heart: :no_such_emoji:", `${heart} :no_such_emoji:`],
  ["❤️", heart],
  ["<time:2024-03-05T10:00:00Z>", '<time datetime="2024-03-05T10:00:00Z">2024-03-05T10:00:00Z</time>'],
  ["<time:soon>", "&lt;time:soon&gt;"],
])("%s", ([text = "", html]) => {
  expect(renderMarkdown(text).html).toBe(`<p>${html}</p>`);
});

test("emoticons become emoji if the setting is on", () => {
  expect(renderMarkdown("I <3 you").html).toBe("<p>I &lt;3 you</p>");
  expect(renderMarkdown("I <3 you", { translateEmoticons: true }).html).toBe(`<p>I ${heart} you</p>`);
});

test("an organization's own emoji takes precedence", () => {
  const realmEmoji = [{ name: "heart", source_url: "/user_avatars/1/emoji/images/1.png" }];

  expect(renderMarkdown(":heart:", { realmEmoji }).html).toBe(
    '<p><img alt=":heart:" class="emoji" src="/user_avatars/1/emoji/images/1.png" title="heart"></p>',
  );
});

test("the private-use characters of marks have no meaning in user text", () => {
  expect(renderMarkdown("`a` \u0002\ue000\ue000 \u0003\ue000\ue000").html).toBe(
    "<p><code>a</code> \ue000\ue000 \ue000\ue000</p>",
  );
});
