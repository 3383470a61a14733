/** Properties that hold for every text: random ones, and ones combined from all the dialect's markup. */
import { picturePaths } from "@skein/api/picture-paths.ts";
import { decodeHTMLAttribute } from "entities/decode";
import fc from "fast-check";
import { expect, test } from "vitest";
import { documentedHtml } from "../../test/documented-html.ts";
import { signs } from "../../test/markdown-signs.ts";
import type { MarkdownContext } from "./context.ts";
import { escapeHtml } from "./escape.ts";
import { renderMarkdown } from "./render.ts";

const adversarial = fc.array(fc.constantFrom(...signs), { maxLength: 40 }).map((pieces) => pieces.join(""));
const anyText = fc.oneof(
  { weight: 3, arbitrary: adversarial },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 200 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 200 }) },
);

const context: MarkdownContext = {
  realmUrl: "http://chat.example.com",
  users: [{ user_id: 10, full_name: "King Hamlet" }],
  groups: [{ id: 41, name: "support" }],
  channels: [{ stream_id: 3, name: "Denmark", topics: new Map([["t", 5]]) }],
  realmEmoji: [{ name: "custom", source_url: "/user_avatars/2/emoji/1.png" }],
  linkifiers: [
    {
      *matchAll(text) {
        for (const { 0: found, index } of text.matchAll(/#(\d+)/g)) {
          yield { index, end: index + found.length, groups: { id: found.slice(1) } };
        }
      },
      expand: ({ id }) => (Number(id) % 2 === 0 ? `javascript:alert(${id})` : `https://trac.example.com/${id}`),
    },
  ],
  translateEmoticons: true,
  uploads: new Map([
    ["1/a.png", { width: 1, height: 1, content_type: "image/png", thumbnail_url: "/user_uploads/thumbnail/t.webp" }],
  ]),
  inlineUrlEmbedPreview: true,
  urlEmbedData: new Map([["http://x.com/", { title: '"><b>', description: "</div>", image: 'http://x.com/"a.png' }]]),
  renderMath: (tex) => {
    if (tex.includes("{")) throw new Error("no formula");
    return '<span class="katex">formula</span>';
  },
  proxyUrl: (url) => `/external_content/${encodeURIComponent(url.toWellFormed())}`,
};

const runs = { numRuns: 2000 };

const voidTags = new Set(["br", "hr", "img"]);
const { elements: allowedAttributes, schemes: allowedSchemes } = documentedHtml();

const tagPattern = /<(\/?)([a-z0-9]+)((?: [a-z-]+(?:="[^"<>]*")?)*)>/y;
const attributePattern = / ([a-z-]+)(?:="([^"]*)")?/g;

interface Tag {
  name: string;
  attributes: [string, string][];
}

/** Parses HTML as strictly as the renderer writes it: a tag in any other form, or out of order, is an error. */
function readStrictly(html: string): Tag[] {
  const tags: Tag[] = [];
  const open: string[] = [];
  for (let index = html.indexOf("<"); index !== -1; index = html.indexOf("<", index)) {
    tagPattern.lastIndex = index;
    const found = tagPattern.exec(html);
    if (found === null) throw new Error(`no tag of ours: ${html.slice(index, index + 60)}`);
    const [whole, slash, name = "", attributes = ""] = found;
    if (slash === "/") {
      if (open.pop() !== name) throw new Error(`</${name}> closes another element`);
    } else {
      if (!voidTags.has(name)) open.push(name);
      tags.push({
        name,
        attributes: Array.from(attributes.matchAll(attributePattern), (each) => [each[1] ?? "", each[2] ?? ""]),
      });
    }
    index += whole.length;
  }
  if (open.length > 0) throw new Error(`left open: ${open.join(", ")}`);
  return tags;
}

const render = (text: string): string => renderMarkdown(text, context).html;

test("every opened element is closed, in order", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(() => readStrictly(render(text))).not.toThrow();
    }),
    runs,
  );
});

test("only the dialect's elements and attributes occur", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      for (const { name, attributes } of readStrictly(render(text))) {
        expect(Object.keys(allowedAttributes)).toContain(name);
        for (const [attribute] of attributes) expect(allowedAttributes[name]).toContain(attribute);
      }
    }),
    runs,
  );
});

/** Parsed as a browser parses the URL. */
function isOwnFile(source: string): boolean {
  const url = URL.parse(source, "http://chat.example.com/");
  return url?.origin === "http://chat.example.com" && picturePaths.some((path) => url.pathname.startsWith(path));
}

/** A browser skips control characters and white space before a scheme. */
const schemeOf = (url: string): string | undefined =>
  /^[\s\p{Cc}]*([a-z][a-z0-9+.-]*):/iu.exec(url)?.[1]?.toLowerCase();

const attributeValues = (html: string, name: string): string[] =>
  readStrictly(html).flatMap(({ attributes }) =>
    attributes.filter(([each]) => each === name).map(([, value]) => value),
  );

test("links have harmless URLs only", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const schemes = attributeValues(render(text), "href").map((href) => schemeOf(decodeHTMLAttribute(href)));
      expect(schemes.filter((scheme) => scheme !== undefined && !allowedSchemes.includes(scheme))).toEqual([]);
    }),
    runs,
  );
});

test("images and videos are loaded from our own host or through the proxy", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const sources = attributeValues(render(text), "src").map((source) => decodeHTMLAttribute(source));
      expect(sources.filter((source) => !isOwnFile(source))).toEqual([]);
    }),
    runs,
  );
});

test("a text cannot contain marks, and none remain in its HTML", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const html = render(text);
      expect(html.includes("\u0002") || html.includes("\u0003")).toBe(false);
    }),
    runs,
  );
});

test("the same text gives the same HTML", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(renderMarkdown(text, context)).toEqual(renderMarkdown(text, context));
    }),
    runs,
  );
});

test("text without markup is only escaped", () => {
  const word = fc.stringMatching(/^[a-zA-Zäßçéд日]{1,12}$/);
  const separator = fc.constantFrom(" ", ", ", "; ", "? ", "! ", " - ", " & ", " < ", " > ", ' "', "' ", " = ", ". ");
  const plain = fc
    .tuple(word, fc.array(fc.tuple(separator, word), { maxLength: 30 }))
    .map(([first, rest]) => first + rest.flat().join(""));
  fc.assert(
    fc.property(plain, (text) => {
      expect(render(text)).toBe(`<p>${escapeHtml(text).replaceAll("&quot;", '"')}</p>`);
    }),
    runs,
  );
});

test("the fast path for plain text gives the same result as the full renderer", () => {
  const nearlyPlain = fc
    .array(fc.constantFrom(...Array.from("abcZé 日,.:!?'\"%/-=+;()\n1")), { maxLength: 30 })
    .map((all) => all.join(""));
  const never = { *matchAll() {}, expand: () => "" };
  fc.assert(
    fc.property(nearlyPlain, (text) => {
      const emoticonsOn = { translateEmoticons: true };
      expect(renderMarkdown(text, emoticonsOn).html).toBe(
        renderMarkdown(text, { ...emoticonsOn, linkifiers: [never] }).html,
      );
    }),
    { numRuns: 5000 },
  );
});
