/** Reads a request's form, body and origin. */
import type { FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import type { Browser } from "./browser-session.ts";
import { readPairs, type Body, type Form } from "./form.ts";

export function readForm(request: FastifyRequest): Form {
  const form: Form = readBody(request)?.form ?? new Map();
  const query = request.url.indexOf("?");
  if (query >= 0) readPairs(request.url.slice(query + 1), form);
  return form;
}

/** Our own parsers set the body to a form or to the stream. */
export const readBody = (request: FastifyRequest): Body | undefined =>
  isStream(request) ? undefined : (request.body as Body | undefined);

export const isStream = (request: FastifyRequest): boolean =>
  request.routeOptions.config.streamsBytes === true && request.body !== undefined && request.body === request.raw;

/** If users connect over TLS, cookies are secure, even if the proxy connects to this process without TLS. */
export const browserOf = ({ config }: Context, { headers, protocol }: FastifyRequest): Browser => ({
  cookies: headers.cookie,
  isSecure: protocol === "https" || config.externalUrl.startsWith("https:"),
});

export const originOf = (ctx: Context, request: FastifyRequest): string =>
  ctx.config.externalUrl === "" ? `${request.protocol}://${request.host}` : ctx.config.externalUrl;
