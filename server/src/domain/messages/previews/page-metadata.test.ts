import fc from "fast-check";
import { expect, test } from "vitest";
import { readPageMetadata } from "./page-metadata.ts";
import { pageText } from "./page-text.ts";

const page = "https://example.org/a/b.html";
const read = (html: string) => readPageMetadata(html, page);

test.each([
  ["<title>Plain &amp; simple</title>", { title: "Plain & simple" }],
  ['<title>a</title><meta property="og:title" content="b">', { title: "b" }],
  ["<META NAME=og:title CONTENT=b>", { title: "b" }],
  [`<meta content='it"s' property='og:title'/>`, { title: 'it"s' }],
  ['<meta name="description" content="d"><meta property="og:description" content="o">', { description: "o" }],
  ['<meta property="og:image" content="/c.png">', { image: "https://example.org/c.png" }],
  ['<meta property="og:image" content="c.png?a&amp;b">', { image: "https://example.org/a/c.png?a&b" }],
  ['<meta property="og:title" content="a > b">', { title: "a > b" }],
  ['<meta property="og:title" content=""><title>t</title>', { title: "t" }],
  ['<meta property="og:title" content="first"><meta property="og:title" content="second">', { title: "first" }],
  ["<title>\n two\t lines \n</title>", { title: "two lines" }],
  ["<title>&#0;&#xd800;a</title>", { title: "\uFFFD\uFFFDa" }],
  ["<title>caf&eacute; &notin; &unknown; &amp</title>", { title: "café ∉ &unknown; &" }],
  ['<noscript><img src="x"></noscript><title>t</title>', { title: "t" }],
  ["<script>if (a < b) '</head>'</script><title>t</title>", { title: "t" }],
  ["<title><b>x</title>", { title: "<b>x" }],
])("%s", (html, expected) => {
  expect(read(`<html><head>${html}</head>`)).toEqual(expected);
});

test.each([
  ["nothing", ""],
  ["a title in a comment", "<!-- <title>a</title> -->"],
  ["a title in a script", "<script>'<title>a</title>'</script>"],
  ["a title in the body", "<body><title>a</title>"],
  ["a title after the head", "<head></head><title>a</title>"],
  ["the title of a drawing", "<svg><title>a</title></svg>"],
  ["a title in a template", '<template><meta property="og:title" content="a"></template>'],
  ["a title without an end", "<title>a"],
  ["a tag without an end", '<meta property="og:title" content="a><title>b</title>'],
  ["a picture that is not a web URL", '<meta property="og:image" content="javascript:alert(1)">'],
  ["a picture in the page itself", '<meta property="og:image" content="data:image/png;base64,AAAA">'],
])("%s is ignored", (_, html) => {
  expect(read(html)).toBeNull();
});

test("titles and descriptions are truncated", () => {
  const data = read(`<title>${"😀".repeat(300)}</title><meta name="description" content="${"d".repeat(3000)}">`);

  expect([...(data?.title ?? "")]).toHaveLength(200);
  expect(data?.description).toHaveLength(500);
});

/** CPU time, which other load on the machine does not affect. */
function milliseconds(html: string): number {
  const before = process.cpuUsage();
  read(html);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test("every page is parsed in little time", () => {
  const pieces = fc.constantFrom("<", ">", '"', "'", "=", "meta ", "title", "</", "<!--", "-->", "<script", " ", "a");
  const pages = fc.array(pieces, { maxLength: 200 }).map((parts) => parts.join(""));
  fc.assert(fc.property(pages, (html) => read(html) !== undefined));

  const unfinished = ['<a "', "<meta a=", "<!--", "<title>", "<script ", "<", '<meta content="', "<a b='", "</"];
  const hostile = [...unfinished, "<x>", "<title>&", "<p></q>", '<meta name="a" ', "<svg><title>", "&amp", "<form>"];
  for (const piece of hostile) {
    const part = (characters: number) => piece.repeat(characters / piece.length);
    const closing = (characters: number) => part(characters / 2) + "</b>".repeat(characters / 8);
    for (const make of [part, closing]) {
      const short = Math.min(...[1, 2, 3].map(() => milliseconds(make(62_500))));
      const long = Math.min(...[1, 2, 3].map(() => milliseconds(make(500_000))));
      expect(long, piece).toBeLessThan(Math.max(short, 2) * 30); // eight times as long; squared it would be 64
    }
  }
});

test.each([
  ["text/html; charset=iso-8859-1", Buffer.from("<title>caf\u00e9</title>", "latin1")],
  ["text/html", Buffer.from('<meta charset="latin1"><title>caf\u00e9</title>', "latin1")],
  ["text/html", Buffer.from("<title>caf\u00e9</title>")],
  ["text/html; charset=no-such-thing", Buffer.from("<title>caf\u00e9</title>")],
])("%s", (contentType, body) => {
  expect(read(pageText(body, contentType))).toEqual({ title: "café" });
});
