/**
 * The web client as it was built into web/dist: one page at `/`, and the files it names. Their names hold a hash of what
 * is in them, so browsers keep them for good; the page itself is asked for every time.
 */
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Context } from "../context.ts";
import { markup } from "../platform/markup.ts";
import { formToken } from "./browser-session.ts";
import { findSignedIn } from "./page-account.ts";
import { plainPage } from "./pages/plain-page.ts";
import type { Page, PageAnswer, PageRequest } from "./router.ts";

const builtClient = join(import.meta.dirname, "../../../web/dist");

/**
 * Nothing runs that did not come from here, and no text becomes script. Sizes of rendered math are inline styles, which
 * the client lets through inside math alone. Pictures may be avatars kept elsewhere.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "style-src-attr 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data: blob: https://secure.gravatar.com",
  "media-src 'self' blob:",
  "font-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types dompurify",
].join("; ");

const safety = {
  "Content-Security-Policy": policy,
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};

const types: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
};

/** The encodings the build leaves beside each file, the smaller first. */
const encodings = { br: ".br", gzip: ".gz" } as const;

/** `dist` is where the client was built. */
export const webClientPages = (ctx: Context, dist = builtClient): Page[] => [
  { path: "/", serve: (request) => serveClient(ctx, dist, request) },
  { path: "/assets/:file", serve: (request) => serveFile(join(dist, "assets"), request, fileName(request), forGood) },
  { path: "/icon.svg", serve: (request) => serveFile(dist, request, "icon.svg", forADay) },
];

const forGood = "public, max-age=31536000, immutable";
const forADay = "public, max-age=86400";

async function serveClient(ctx: Context, dist: string, request: PageRequest): Promise<PageAnswer> {
  if (!(await findSignedIn(ctx, request))) return redirect("/login/?next=%2F");
  const page = await readBuilt(dist, request, "index.html");
  if (!page) return notBuilt();
  return {
    status: 200,
    type: types[".html"] ?? "",
    headers: { ...safety, ...page.headers, "Cache-Control": "no-cache" },
    cookies: formToken(request.browser).cookies,
    body: page.body,
  };
}

async function serveFile(folder: string, request: PageRequest, file: string, cache: string): Promise<PageAnswer> {
  const found = await readBuilt(folder, request, file);
  if (!found) return { status: 404, type: "text/plain; charset=utf-8", body: "" };
  return {
    status: 200,
    type: types[extname(file)] ?? "application/octet-stream",
    headers: { ...found.headers, "Cache-Control": cache, "X-Content-Type-Options": "nosniff" },
    body: found.body,
  };
}

const fileName = ({ params }: PageRequest): string => params["file"] ?? "";

interface Found {
  body: Buffer;
  headers: Record<string, string>;
}

/** The smallest form of a file the browser takes. Only what the folder lists is ever read. */
async function readBuilt(folder: string, request: PageRequest, file: string): Promise<Found | undefined> {
  const names = new Set(await readdir(folder).catch(() => [])); // not built
  if (!names.has(file)) return undefined;
  const accepted = request.header("accept-encoding") ?? "";
  for (const [encoding, ending] of Object.entries(encodings)) {
    if (!accepted.includes(encoding) || !names.has(file + ending)) continue;
    const headers = { "Content-Encoding": encoding, Vary: "Accept-Encoding" };
    return { body: await readFile(join(folder, file + ending)), headers };
  }
  return { body: await readFile(join(folder, file)), headers: { Vary: "Accept-Encoding" } };
}

const redirect = (location: string): PageAnswer => ({
  status: 302,
  type: "text/plain; charset=utf-8",
  headers: { Location: location, "Cache-Control": "no-store" },
  body: "",
});

const notBuilt = (): PageAnswer =>
  plainPage({
    status: 503,
    title: "The web client is not built",
    body: markup`<p>This server runs, and other clients can use it. Its own web client has to be built once, beside the server:</p>
<pre>npm run build:web</pre>`,
  });
