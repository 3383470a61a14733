/** The text of a mail, said once and written twice: plain, and as HTML that fetches nothing and tells nobody it was read. */
import type { Html } from "../../platform/markup.ts";
import { layOutMail } from "./layout.ts";

export interface MailBody {
  text: string;
  html: string;
}

export interface MailContent {
  /** The first line; the subject will often be the same. */
  heading: string;
  paragraphs: string[];
  /** What others wrote, in order. */
  quotes?: Quote[];
  /** What the reader is to do. */
  action?: Link;
  /** After the action, in small print. */
  notes?: string[];
  /** At the very end: where to choose not to get such mail. */
  links?: Link[];
}

export interface Link {
  label: string;
  url: string;
}

export interface Quote {
  /** Who wrote it and when. */
  heading: string;
  text: string;
  html: Html;
}

export function composeMail(content: MailContent): MailBody {
  return { text: toText(content), html: layOutMail(content).text };
}

function toText({ heading, paragraphs, quotes = [], action, notes = [], links = [] }: MailContent): string {
  const written = ({ label, url }: Link) => `${label}:\n${url}`;
  const parts = [
    heading,
    ...paragraphs,
    ...quotes.map((quote) => `${quote.heading}\n\n${indented(quote.text)}`),
    ...(action ? [written(action)] : []),
    ...notes,
    ...links.map(written),
  ];
  return `${parts.join("\n\n")}\n`;
}

const indented = (text: string): string =>
  text
    .trim()
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n");
