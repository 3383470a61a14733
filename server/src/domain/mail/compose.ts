/** The text of a mail, said once and written twice: plain, and as HTML that fetches nothing and tells nobody it was read. */
import { markup, type Html } from "../../platform/markup.ts";

export interface MailBody {
  text: string;
  html: string;
}

export interface MailContent {
  /** The first line; the subject will often be the same. */
  heading: string;
  paragraphs: string[];
  /** What the reader is to do. */
  action?: { label: string; url: string };
  /** After the action, in small print. */
  notes?: string[];
}

export function composeMail(content: MailContent): MailBody {
  return { text: toText(content), html: toHtml(content).text };
}

function toText({ heading, paragraphs, action, notes = [] }: MailContent): string {
  const link = action ? [`${action.label}:\n${action.url}`] : [];
  return `${[heading, ...paragraphs, ...link, ...notes].join("\n\n")}\n`;
}

const link = ({ label, url }: NonNullable<MailContent["action"]>): Html => markup`<p><a href="${url}">${label}</a></p>
<p>If the link cannot be opened, copy this address into a browser:<br>${url}</p>`;

const toHtml = ({ heading, paragraphs, action, notes = [] }: MailContent): Html => markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${heading}</title>
</head>
<body style="font-family: sans-serif; line-height: 1.5; max-width: 36em">
<h1 style="font-size: 1.25em">${heading}</h1>
${paragraphs.map((paragraph) => markup`<p>${paragraph}</p>`)}
${action && link(action)}
${notes.map((note) => markup`<p style="font-size: 0.85em">${note}</p>`)}
</body>
</html>
`;
