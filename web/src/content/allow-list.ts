/**
 * The elements and attributes a message may contain: the tables of docs/markdown.md, kept in sync by a test. The browser's
 * own MathML shows formulas; their second rendering (spans with sizes, drawings) needs fonts that nobody has installed, so
 * `svg` and `style` are left out, and insert.ts checks the `style` values that are allowed.
 */

export const allowedHtml: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    "p br hr em strong del code pre blockquote ul li h1 h2 h3 h4 h5 h6 table thead tbody tr"
      .split(" ")
      .map((name) => [name, []]),
  ),
  ol: ["start"],
  th: ["style"],
  td: ["style"],
  a: ["class", "data-id", "data-stream-id", "href", "style", "title"],
  div: ["aria-hidden", "class", "data-code-language"],
  span: ["aria-hidden", "aria-label", "class", "data-user-group-id", "data-user-id", "role", "title"],
  time: ["datetime"],
  img: [
    "alt",
    "class",
    "data-animated",
    "data-original-content-type",
    "data-original-dimensions",
    "data-original-src",
    "data-transcoded-image",
    "src",
    "title",
  ],
  video: ["preload", "src"],
  audio: ["controls", "data-original-url", "preload", "src", "title"],
};

export const allowedMath: Readonly<Record<string, readonly string[]>> = {
  math: ["display"],
  ...Object.fromEntries(
    "semantics mrow mn mfrac msqrt mroot msub msup msubsup munderover mphantom mtr"
      .split(" ")
      .map((name) => [name, []]),
  ),
  annotation: ["encoding"],
  mi: ["mathvariant"],
  mtext: ["mathvariant"],
  mo: ["fence", "form", "linebreak", "lspace", "mathvariant", "maxsize", "minsize", "rspace", "separator", "stretchy"],
  mover: ["accent"],
  munder: ["accentunder"],
  menclose: ["notation"],
  mspace: ["height", "linebreak", "mathbackground", "width"],
  mpadded: ["depth", "height", "lspace", "mathbackground", "voffset", "width"],
  mstyle: ["displaystyle", "mathbackground", "mathcolor", "mathsize", "scriptlevel"],
  mtable: ["align", "columnalign", "columnlines", "columnspacing", "rowlines", "rowspacing", "side", "width"],
  mtd: ["width"],
};

export const allowedSchemes: ReadonlySet<string> = new Set(
  (
    "http https ftp file bitcoin geo im irc ircs magnet mailto matrix mid mms news nntp openpgp4fpr sip sms smsto ssh tel " +
    "urn webcal wtai xmpp"
  ).split(" "),
);
