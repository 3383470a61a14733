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
  ["<title>&#0;&#xd800;a</title>", { title: "\uFFFDa" }],
  ["<title><b>x</title>", { title: "<b>x" }],
])("%s", (html, expected) => {
  expect(read(`<html><head>${html}</head>`)).toEqual(expected);
});

test.each([
  ["nothing", ""],
  ["what stands in a comment", "<!-- <title>a</title> -->"],
  ["what stands in a script", "<script>'<title>a</title>'</script>"],
  ["what stands in the body", "<body><title>a</title>"],
  ["what stands behind the head", "</head><title>a</title>"],
  ["a title without an end", "<title>a"],
  ["a tag without an end", '<meta property="og:title" content="a><title>b</title>'],
  ["a picture that is no address of the web", '<meta property="og:image" content="javascript:alert(1)">'],
  ["a picture in the page itself", '<meta property="og:image" content="data:image/png;base64,AAAA">'],
])("%s says nothing", (_, html) => {
  expect(read(html)).toBeNull();
});

test("titles and descriptions are cut", () => {
  const data = read(`<title>${"😀".repeat(300)}</title><meta name="description" content="${"d".repeat(3000)}">`);

  expect([...(data?.title ?? "")]).toHaveLength(200);
  expect(data?.description).toHaveLength(500);
});

test("any page is read, and in little time", () => {
  const pieces = fc.constantFrom("<", ">", '"', "'", "=", "meta ", "title", "</", "<!--", "-->", "<script", " ", "a");
  const pages = fc.array(pieces, { maxLength: 200 }).map((parts) => parts.join(""));
  fc.assert(fc.property(pages, (html) => read(html) !== undefined));

  for (const piece of ['<a "', "<meta a=", "<!--", "<title>", "<script ", "<", '<meta content="', "<a b='", "</"]) {
    const begun = performance.now();
    read(piece.repeat(500_000 / piece.length));
    expect(performance.now() - begun, piece).toBeLessThan(500);
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
