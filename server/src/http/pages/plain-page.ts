/**
 * Pages for people without a client at hand: plain HTML that needs no script (a few have one, for comfort), fetches nothing
 * but the organization's picture and can be put into no other page. Addresses of such pages may hold a secret, so nobody
 * keeps or passes on where they were.
 */
import { createHash } from "node:crypto";
import { shell, style } from "@skein/api/page-frame.ts";
import { markup, type Html } from "../../platform/markup.ts";
import type { PageAnswer } from "../router.ts";

const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const styleHash = hashOf(style);

const policy = (formTargets: string, script: string) =>
  [
    "default-src 'none'",
    `style-src ${styleHash}`,
    ...(script === "" ? [] : [`script-src ${hashOf(script)}`]),
    "img-src 'self'",
    `form-action ${formTargets}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");

/** For answers whose address or content is nobody else's business. */
export const discreet = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Robots-Tag": "noindex",
};

export interface PlainPage {
  status?: number;
  title: string;
  body: Html;
  /** A kind of address, like `app:`, that sending its form may lead to. */
  leadsTo?: string;
  /** What the page does by itself. A fixed text of ours: nothing is ever put into it. */
  script?: string;
}

/** Whose page it is. */
export interface Brand {
  name: string;
  /** The address of a picture here, if there is one. */
  icon?: string;
}

const skein: Brand = { name: "Skein" };

export function plainPage(page: PlainPage, brand: Brand = skein): PageAnswer {
  const { status = 200, title, body, leadsTo, script = "" } = page;
  return {
    status,
    type: "text/html; charset=utf-8",
    headers: {
      ...discreet,
      "Content-Security-Policy": policy(leadsTo === undefined ? "'self'" : `'self' ${leadsTo}`, script),
    },
    body: shell({
      title: `${title} · ${brand.name}`,
      kind: "card",
      body: layOut(title, body, brand).text,
      script,
    }),
  };
}

const layOut = (title: string, body: Html, brand: Brand): Html => markup`<header>
<p class="brand">${picture(brand)}<span>${brand.name}</span></p>
</header>
<main>
<h1>${title}</h1>
${body}
</main>
${brand === skein ? undefined : markup`<footer>Team chat on Skein</footer>`}`;

/** Beside the name, which says it all. */
const picture = ({ name, icon }: Brand): Html =>
  icon === undefined
    ? markup`<span class="mark" aria-hidden="true">${firstLetter(name)}</span>`
    : markup`<img src="${icon}" alt="" width="40" height="40">`;

const firstLetter = (name: string): string => (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? "S").toUpperCase();

/** An answer that leads the browser on, by asking for another page. */
export const leadTo = (location: string, cookies: string[] = []): PageAnswer => ({
  status: 303,
  type: "text/plain; charset=utf-8",
  headers: { ...discreet, Location: location },
  cookies,
  body: "",
});
