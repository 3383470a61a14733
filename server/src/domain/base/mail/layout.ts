/**
 * The layout of every mail. Mail programs support style sheets poorly, so the light theme is inline; the style sheet only
 * adds a dark theme where it is supported. The mail loads nothing, so opening it cannot be tracked.
 */
import { markup, type Html } from "../../../platform/markup.ts";
import type { Link, MailContent, Quote } from "./compose.ts";

const actionLink = ({ label, url }: Link): Html => markup`<p style="margin: 24px 0">
<a class="action" href="${url}" style="display: inline-block; padding: 11px 20px; border-radius: 6px; background-color: #0b6b60; color: #ffffff; font-weight: 600; text-decoration: none">${label}</a>
</p>
<p class="small" style="margin: 0 0 16px; font-size: 14px; color: #5f6865">If the button does not work, copy this link into your browser:<br>
<a href="${url}" style="color: #0a6459; overflow-wrap: anywhere; word-break: break-word">${url}</a></p>`;

const quotation = ({ heading, html }: Quote): Html => markup`<p style="margin: 0 0 4px; font-weight: 600">${heading}</p>
<blockquote style="margin: 0 0 20px; padding: 0 0 0 14px; border-left: 3px solid #d8ddda">${html}</blockquote>`;

const paragraph = (text: string): Html => markup`<p style="margin: 0 0 12px">${text}</p>`;

const note = (text: string): Html =>
  markup`<p class="small" style="margin: 0 0 8px; font-size: 14px; color: #5f6865">${text}</p>`;

const smallLink = ({ label, url }: Link): Html =>
  markup`<p class="small" style="margin: 0 0 8px; font-size: 14px"><a href="${url}" style="color: #0a6459">${label}</a></p>`;

/** The complete HTML document. */
export const layOutMail = ({
  heading,
  paragraphs,
  quotes = [],
  action,
  notes = [],
  links = [],
}: MailContent): Html => markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${heading}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
body, .page { background-color: #131615 !important; color: #e6ebe9 !important; }
.sheet { background-color: #191d1c !important; border-color: #303735 !important; color: #e6ebe9 !important; }
.sheet a { color: #69d2c2 !important; }
.sheet a.action { background-color: #4cc4b2 !important; color: #04211c !important; }
.sheet blockquote { border-color: #303735 !important; }
.small, .foot { color: #96a29e !important; }
}
</style>
</head>
<body style="margin: 0; background-color: #f3f5f4; color: #1a1f1d">
<div class="page" style="padding: 24px 12px; background-color: #f3f5f4; font: 16px/1.5 system-ui, sans-serif">
<main class="sheet" style="max-width: 560px; margin: 0 auto; padding: 28px; box-sizing: border-box; background-color: #ffffff; border: 1px solid #d8ddda; border-radius: 10px; overflow-wrap: break-word">
<h1 style="margin: 0 0 16px; font-size: 20px; line-height: 1.3">${heading}</h1>
${paragraphs.map(paragraph)}
${quotes.map(quotation)}
${action && actionLink(action)}
${notes.map(note)}
${links.map(smallLink)}
</main>
<footer class="foot" style="max-width: 560px; margin: 12px auto 0; text-align: center; font-size: 13px; color: #5f6865">Sent by Skein</footer>
</div>
</body>
</html>
`;
