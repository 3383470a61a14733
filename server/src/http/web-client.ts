/**
 * Serves the web client built into web/dist: one page at `/` and the files it refers to. Their names contain a hash of
 * their content, so browsers may cache them forever; the page itself is requested every time.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { markup } from "../platform/markup.ts";
import { formToken } from "./browser-session.ts";
import { findSignedIn } from "./page-account.ts";
import { plainPage } from "./pages/plain-page.ts";
import type { PageResponse } from "./page.ts";
import { pageRequest } from "./serve-page.ts";

/** The output folder of `npm run build:web`. */
export const builtClient = join(import.meta.dirname, "../../../web/dist");

/**
 * Only our own scripts run, and no text becomes a script. Rendered math uses inline styles for sizes, which the client
 * allows only inside math. Images come from another host only if Gravatar is enabled.
 */
const policy = (gravatar: boolean): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "connect-src 'self'",
    `img-src 'self' data: blob:${gravatar ? " https://secure.gravatar.com" : ""}`,
    "media-src 'self' blob:",
    "font-src 'self'",
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    // For browsers without setHTML (web/src/content/sanitize.ts).
    "trusted-types skein",
  ].join("; ");

const safety = (gravatar: boolean) => ({
  "Content-Security-Policy": policy(gravatar),
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
});

/** Files of other releases, which pages served by other nodes may request. */
export interface OtherAssets {
  names: (wanted: string) => Promise<ReadonlySet<string>>;
  read: (name: string) => Promise<Buffer | undefined>;
}

/** `dist` is the folder with the built client. */
export const webClient =
  (ctx: Context, dist: string, others: OtherAssets): FastifyPluginAsync =>
  async (app) => {
    app.addHook("onRequest", (_request, reply, done) => {
      reply.raw.routeGroup = "web client";
      done();
    });
    // Its own routes would read the folder at every request; sendFile() opens the file alone.
    await app.register(fastifyStatic, { root: dist, serve: false, preCompressed: true, suppressWarning: true });
    app.get("/", (request, reply) => serveClient(ctx, dist, request, reply));
    app.get("/icon.svg", async (request, reply) => {
      const isFound = await sendChanging(dist, "icon.svg", request, reply, {
        ...noSniff,
        "Cache-Control": cacheForADay,
      });
      return isFound ? reply : answerNotFound(reply);
    });
    await app.register(assetRoutes(join(dist, "assets"), others), { prefix: "/assets" });
  };

const noSniff = { "X-Content-Type-Options": "nosniff" };
const cacheForADay = "public, max-age=86400";
const cacheForever = { maxAge: "1y", immutable: true };

async function serveClient(ctx: Context, dist: string, request: FastifyRequest, reply: FastifyReply) {
  const asked = pageRequest(ctx, request);
  if (!(await findSignedIn(ctx, asked))) return reply.header("Cache-Control", "no-store").redirect("/login/?next=%2F");
  const headers = { ...safety(ctx.config.gravatar), "Cache-Control": "no-cache" };
  for (const cookie of formToken(asked.browser).cookies) reply.header("Set-Cookie", cookie);
  if (await sendChanging(dist, "index.html", request, reply, headers)) return reply;
  const { status, type, headers: plain = {}, body } = notBuilt();
  return reply.code(status).headers(plain).type(type).send(body);
}

/**
 * Sends a file whose name stays the same from build to build. Its ETag is made from its content: by size and time of
 * change, as the library makes it, two releases unpacked from archives without times would be the same.
 */
async function sendChanging(
  dist: string,
  file: string,
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Record<string, string>,
): Promise<boolean> {
  const content = await readFile(join(dist, file)).catch(() => undefined);
  if (!content) return false;
  const etag = `W/"${createHash("sha256").update(content).digest("base64url")}"`;
  reply.headers({ ...headers, ETag: etag, Vary: "Accept-Encoding" });
  if (request.headers["if-none-match"]?.includes(etag) === true) reply.code(304).send();
  else reply.sendFile(file, { etag: false, lastModified: false, cacheControl: false, acceptRanges: false });
  return true;
}

/** File names of a build: a name, a hash, an extension. */
const builtName = /^\w[\w.-]*-[\w-]{8}\.\w{2,5}$/;

interface AssetRoute {
  Params: { file?: string };
}

/** Serves this build's files, and those of other releases that this build does not have. */
const assetRoutes =
  (folder: string, others: OtherAssets): FastifyPluginAsync =>
  async (app) => {
    app.addHook("onSend", (request, reply, payload, done) => {
      const type = types[extname(request.url.split("?", 1)[0] ?? "")];
      if (reply.statusCode === 200 && type !== undefined) reply.type(type);
      done(null, payload);
    });
    app.setNotFoundHandler<AssetRoute>((request, reply) => serveOther(others, request, reply));
    app.get<AssetRoute>("/:file", (request, reply) => {
      const { file = "" } = request.params;
      if (!builtName.test(file)) return answerNotFound(reply);
      return reply.headers(noSniff).sendFile(file, folder, cacheForever);
    });
  };

async function serveOther(others: OtherAssets, request: FastifyRequest<AssetRoute>, reply: FastifyReply) {
  const { file = "" } = request.params;
  if (!builtName.test(file)) return answerNotFound(reply);
  const names = await others.names(file);
  if (!names.has(file)) return answerNotFound(reply);
  const encoding = encodings.find((each) => accepts(request, each) && names.has(file + endings[each]));
  const body = await others.read(encoding === undefined ? file : file + endings[encoding]);
  if (!body) return answerNotFound(reply);
  if (encoding !== undefined) reply.header("Content-Encoding", encoding);
  return reply
    .headers({ ...noSniff, "Cache-Control": "public, max-age=31536000, immutable", Vary: "Accept-Encoding" })
    .type("application/octet-stream")
    .send(body);
}

/** The file store's files come without a type, and the library still says application/javascript. */
const types: Record<string, string> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
};

/** The encodings the build writes next to each file, the smaller one first. */
const encodings = ["br", "gzip"] as const;
const endings = { br: ".br", gzip: ".gz" };

const accepts = ({ headers }: FastifyRequest<AssetRoute>, encoding: string): boolean =>
  headers["accept-encoding"]?.includes(encoding) ?? false;

const answerNotFound = (reply: FastifyReply) =>
  reply.code(404).header("Cache-Control", "no-store").type("text/plain; charset=utf-8").send("");

const notBuilt = (): PageResponse =>
  plainPage({
    status: 503,
    title: "The web client is not built",
    body: markup`<p>The server is running, and other clients can use it. To use the web client, build it once on the server:</p>
<pre>npm run build:web</pre>`,
  });
