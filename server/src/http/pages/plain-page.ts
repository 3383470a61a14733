/**
 * Pages for people without a client at hand: plain HTML that needs no script, fetches nothing and can be put into no
 * other page. Addresses of such pages may hold a secret, so nobody keeps or passes on where they were.
 */
import { createHash } from "node:crypto";
import { frame, style } from "@skein/api/page-frame.ts";
import type { Html } from "../../platform/markup.ts";
import type { PageAnswer } from "../router.ts";

const styleHash = createHash("sha256").update(style).digest("base64");
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${styleHash}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

export interface PlainPage {
  status?: number;
  title: string;
  body: Html;
}

export const plainPage = ({ status = 200, title, body }: PlainPage): PageAnswer => ({
  status,
  type: "text/html; charset=utf-8",
  headers: {
    "Content-Security-Policy": policy,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Robots-Tag": "noindex",
  },
  body: frame(title, body.text),
});
