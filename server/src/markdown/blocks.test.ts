import { expect, test } from "vitest";
import { renderMarkdown } from "./render.ts";

/** `|` in the HTML stands for a newline. */
const blocks: [what: string, text: string, html: string][] = [
  ["nothing", " \n ", ""],
  ["lines of one paragraph", "to be\nor not", "<p>to be<br>|or not</p>"],
  ["paragraphs", "one\n\n\ntwo", "<p>one</p>|<p>two</p>"],
  ["spaces at the end of a line stay", "one  \ntwo", "<p>one  <br>|two</p>"],
  ["a heading", "## Act *two* ##", "<h2>Act <em>two</em></h2>"],
  ["no heading without a space", "#two", "<p>#two</p>"],
  ["text around a heading", "a\n# b\nc", "<p>a</p>|<h1>b</h1>|<p>c</p>"],
  ["a rule", "a\n- - -\nb", "<p>a</p>|<hr>|<p>b</p>"],
  ["a rule of underscores", "a\n___\nb", "<p>a</p>|<hr>|<p>b</p>"],
  ["a list directly after text", "buy:\n* milk\n* eggs", "<p>buy:</p>|<ul>|<li>milk</li>|<li>eggs</li>|</ul>"],
  ["bullets of any kind make one list", "* a\n+ b\n- c", "<ul>|<li>a</li>|<li>b</li>|<li>c</li>|</ul>"],
  ["a list that starts at three", "3. c\n4. d", '<ol start="3">|<li>c</li>|<li>d</li>|</ol>'],
  ["two spaces nest", "* a\n  * b", "<ul>|<li>a<ul>|<li>b</li>|</ul>|</li>|</ul>"],
  ["a blank line makes a list loose", "* a\n\n* b", "<ul>|<li>|<p>a</p>|</li>|<li>|<p>b</p>|</li>|</ul>"],
  ["a quote includes the following lines", "> a\nb", "<blockquote>|<p>a<br>|b</p>|</blockquote>"],
  ["quotes inside quotes", "> > a", "<blockquote>|<blockquote>|<p>a</p>|</blockquote>|</blockquote>"],
  ["a lone > is not a quote", ">", "<p>&gt;</p>"],
  ["a fenced quote", "```quote\na\n\nb\n```", "<blockquote>|<p>a</p>|<p>b</p>|</blockquote>"],
  [
    "a table",
    "who | what\n:-- | --:\nyou | me",
    '<table>|<thead>|<tr>|<th style="text-align: left;">who</th>|<th style="text-align: right;">what</th>|</tr>|</thead>|' +
      '<tbody>|<tr>|<td style="text-align: left;">you</td>|<td style="text-align: right;">me</td>|</tr>|</tbody>|</table>',
  ],
  [
    "a spoiler",
    "```spoiler who did it\nthe *butler*\n```",
    '<div class="spoiler-block"><div class="spoiler-header">|<p>who did it</p>|</div>' +
      '<div class="spoiler-content" aria-hidden="true">|<p>the <em>butler</em></p>|</div></div>',
  ],
];

test.for(blocks)("%s", ([, text, html]) => {
  expect(renderMarkdown(text).html).toBe(html.replaceAll("|", "\n"));
});

test("a spoiler at the end of a quote is closed outside of any paragraph", () => {
  const { html } = renderMarkdown("````quote\n```spoiler a\nb\n```\n````");

  expect(html).toMatch(/<p>b<\/p>\n<\/div><\/div>\n<\/blockquote>$/);
});

test("text that is nested too deeply is taken literally", () => {
  const { html } = renderMarkdown(">".repeat(500) + "deep");

  expect(html.match(/<blockquote>/g)?.length).toBeLessThanOrEqual(100);
  expect(html).toContain("deep");
});

test("indented lines in e-mails stay text", () => {
  expect(renderMarkdown("    total 4", { emailGateway: true }).html).toBe("<p>total 4</p>");
});
