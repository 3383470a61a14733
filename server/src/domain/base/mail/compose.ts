/** Renders the content of a mail as plain text and as HTML. The HTML loads nothing, so opening it cannot be tracked. */
import type { Html } from "../../../platform/markup.ts";
import { layOutMail } from "./layout.ts";

export interface MailBody {
  text: string;
  html: string;
}

export interface MailContent {
  /** The first line, often the same as the subject. */
  heading: string;
  paragraphs: string[];
  /** Messages of other users, in order. */
  quotes?: Quote[];
  /** The link the reader should follow. */
  action?: Link;
  /** Small print after the action. */
  notes?: string[];
  /** Links at the very end, such as where to unsubscribe. */
  links?: Link[];
}

export interface Link {
  label: string;
  url: string;
}

export interface Quote {
  /** The author and the time. */
  heading: string;
  text: string;
  html: Html;
}

export function composeMail(content: MailContent): MailBody {
  return { text: toText(content), html: layOutMail(content).text };
}

function toText({ heading, paragraphs, quotes = [], action, notes = [], links = [] }: MailContent): string {
  const formatLink = ({ label, url }: Link) => `${label}:\n${url}`;
  const parts = [
    heading,
    ...paragraphs,
    ...quotes.map((quote) => `${quote.heading}\n\n${indent(quote.text)}`),
    ...(action ? [formatLink(action)] : []),
    ...notes,
    ...links.map(formatLink),
  ];
  return `${parts.join("\n\n")}\n`;
}

const indent = (text: string): string =>
  text
    .trim()
    .split("\n")
    .map((line) => (line === "" ? "" : `  ${line}`))
    .join("\n");
