/** Serves a request to a page. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import { markup } from "../platform/markup.ts";
import { hasLargeBody } from "./bodies.ts";
import { hasCachedCredentials } from "./caller.ts";
import { countPageOfAddress } from "./page-limits.ts";
import type { Page, PageRequest, PageResponse } from "./page.ts";
import { plainPage } from "./pages/plain-page.ts";
import { networkOf } from "./rate-limit.ts";
import { routeGroup } from "./route-groups.ts";
import { browserOf, isStream, originOf, readBody, readForm } from "./read-request.ts";

/** Runs before the body is read. Large bodies are read only for clients that the page admits. */
export function onPageRequestOf(ctx: Context, { admitLargeBody, maxBody = Infinity, path }: Page) {
  const group = routeGroup(path, "GET");
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    reply.raw.routeGroup = group;
    if (admitLargeBody === undefined || !hasLargeBody(request)) return done();
    admitLargeBody(pageRequest(ctx, request)).then(() => {
      request.maxBody = maxBody;
      done();
    }, done);
  };
}

export async function servePage(
  ctx: Context,
  page: Page,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (page.isUnlimited !== true && !hasCachedCredentials(ctx, request)) countPageOfAddress(ctx, networkOf(request.ip));
  const { status, type, headers = {}, cookies = [], body } = await serveUnlessReadOnly(ctx, page, request);
  for (const cookie of cookies) reply.header("Set-Cookie", cookie);
  // A page that omits the body for HEAD has set Content-Length itself.
  const sent = request.method === "HEAD" && body === "" ? null : body;
  return reply.code(status).headers(headers).type(type).send(sent);
}

async function serveUnlessReadOnly(ctx: Context, page: Page, request: FastifyRequest): Promise<PageResponse> {
  try {
    ctx.maintenance.refusePageChange(request.method, page.path);
  } catch (error) {
    if (!(error instanceof ApiError) || !request.headers.accept?.includes("text/html")) throw error;
    return plainPage({
      status: error.status,
      title: "Read-only for maintenance",
      body: markup`<p>${error.message}</p>`,
    });
  }
  return page.serve(pageRequest(ctx, request));
}

export const pageRequest = (ctx: Context, request: FastifyRequest): PageRequest => ({
  method: request.method,
  path: request.url,
  params: request.params as Record<string, string>, // the router's own, by the names in the url
  form: readForm(request),
  host: request.hostname,
  origin: originOf(ctx, request),
  ip: networkOf(request.ip),
  address: request.ip,
  id: request.id,
  authorization: request.headers.authorization,
  browser: browserOf(ctx, request),
  isCrossSite: request.headers["sec-fetch-site"] === "cross-site",
  header: (name) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  },
  body: isStream(request) ? request.raw : undefined,
  bytes: readBody(request)?.bytes,
});
