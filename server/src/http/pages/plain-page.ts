/**
 * Pages shown outside the client, such as the sign-in page: plain HTML that works without scripts (a few have one for
 * convenience), loads nothing but the organization's picture, and cannot be framed. Their URLs may contain a secret, so
 * they are not cached and send no referrer.
 */
import { createHash } from "node:crypto";
import { shell, style } from "@skein/api/page-frame.ts";
import { markup, type Html } from "../../platform/markup.ts";
import type { PageResponse } from "../page.ts";

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

/** For responses whose URL or content is secret. */
export const privateHeaders = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "X-Robots-Tag": "noindex",
};

export interface PlainPage {
  status?: number;
  title: string;
  body: Html;
  /** Where submitting the form may redirect to besides this origin: a URL scheme like `app:`, or an origin. */
  formTarget?: string;
  /** The page's inline script. It is a constant: nothing is ever interpolated. */
  script?: string;
}

/** The organization whose name and picture the page shows. */
export interface Brand {
  name: string;
  /** The URL of its picture on this server, if it has one. */
  icon?: string;
}

const skein: Brand = { name: "Skein" };

export function plainPage(page: PlainPage, brand: Brand = skein): PageResponse {
  const { status = 200, title, body, formTarget, script = "" } = page;
  return {
    status,
    type: "text/html; charset=utf-8",
    headers: {
      ...privateHeaders,
      "Content-Security-Policy": policy(formTarget === undefined ? "'self'" : `'self' ${formTarget}`, script),
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

/** Decorative: the organization's name stands beside it. */
const picture = ({ name, icon }: Brand): Html =>
  icon === undefined
    ? markup`<span class="mark" aria-hidden="true">${firstLetter(name)}</span>`
    : markup`<img src="${icon}" alt="" width="40" height="40">`;

const firstLetter = (name: string): string => (/[\p{L}\p{N}]/u.exec(name)?.[0] ?? "S").toUpperCase();

/** Redirects the browser, which requests the other page with GET. */
export const redirect = (location: string, cookies: string[] = []): PageResponse => ({
  status: 303,
  type: "text/plain; charset=utf-8",
  headers: { ...privateHeaders, Location: location },
  cookies,
  body: "",
});
