/** The frame of every reference page: a sidebar with all pages, a search form, and the page itself. */
import { createHash } from "node:crypto";
import { shell } from "@skein/api/page-frame.ts";
import { type Html, markup } from "../../platform/markup.ts";
import { referenceScript } from "./script.ts";
import { referenceStyle } from "./style.ts";

export const root = "/api/docs";

export interface Entry {
  /** Below `root`; empty for the overview. */
  slug: string;
  title: string;
  /** Further words to find it by. */
  words: string;
}

export interface Section {
  title: string;
  entries: readonly Entry[];
}

export interface View {
  title: string;
  body: Html;
  status?: 200 | 404;
  /** What was searched for. */
  query?: string;
}

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

export const policy = [
  "default-src 'none'",
  `style-src ${hashOf(referenceStyle)}`,
  `script-src ${hashOf(referenceScript)}`,
  "img-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

export const linkTo = (slug: string): string => (slug === "" ? root : `${root}/${slug}`);

export const layOut = ({ title, body, query = "" }: View, slug: string, sections: readonly Section[]): string =>
  shell({
    title: `${title} · Skein API`,
    kind: "reference",
    style: referenceStyle,
    script: referenceScript,
    body: markup`<a class="skip" href="#content">Skip to content</a>
<header class="top"><a href="${root}">Skein API</a><a href="#menu">Search and contents</a></header>
<div class="page">
<main id="content">
${body}
</main>
<nav class="side" id="menu" aria-label="Reference">
<div class="head"><a class="name" href="${root}"><img src="/icon.svg" alt="" width="28" height="28">Skein API</a>
<form class="search" role="search" action="${root}">
<input type="search" name="q" value="${query}" placeholder="Search  ( / )" aria-label="Search the reference" autocomplete="off">
<button>Search</button>
</form></div>
${sections.map((section) => sideSection(section, slug))}
</nav>
</div>`.text,
  });

const sideSection = ({ title, entries }: Section, slug: string): Html => {
  const items = entries.map(
    (entry) => markup`<li><a href="${linkTo(entry.slug)}"${current(entry, slug)}>${entry.title}</a></li>`,
  );
  const list = markup`<summary>${title}</summary>
<ul>
${items}
</ul>`;
  const isOpen = title === "Basics" || entries.some((entry) => entry.slug === slug);
  return isOpen ? markup`<details open>${list}</details>` : markup`<details>${list}</details>`;
};

const current = (entry: Entry, slug: string): Html => (entry.slug === slug ? markup` aria-current="page"` : markup``);
