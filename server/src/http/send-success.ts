/** Sends the response of an endpoint that succeeded. */
import { brotliCompress, constants as zlib, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Context } from "../context.ts";
import { JsonText, LastingResponse, Redirect } from "./handle.ts";
import { maintenanceHeader } from "./maintenance.ts";
import type { Route } from "./routes.ts";

export function sendSuccess(
  ctx: Context,
  route: Route,
  reply: FastifyReply,
  result: object,
  unsupported: string[],
): void {
  const { message } = ctx.maintenance;
  if (message !== undefined) reply.header(maintenanceHeader, encodeURIComponent(message));
  if (result instanceof Redirect) {
    reply.redirect(result.location);
    return;
  }
  if (result instanceof LastingResponse) {
    const headers = reply.getHeaders() as Record<string, string>; // all values set here are strings
    result.begin(reply.hijack().raw, headers);
    return;
  }
  if (result instanceof JsonText) {
    sendText(reply, result.text);
    return;
  }
  if (ctx.config.checkResponses) {
    const checked = route.answer.safeParse(result);
    if (!checked.success)
      throw new Error(
        `the response of ${route.endpoint.operation} does not match its declaration: ${z.prettifyError(checked.error)}`,
      );
  }
  const ignored = unsupported.length > 0 ? { ignored_parameters_unsupported: unsupported } : undefined;
  sendText(reply, JSON.stringify({ result: "success", msg: "", ...result, ...ignored }));
}

const jsonType = "application/json; charset=utf-8";

/** Shorter responses fit into a few packets uncompressed. */
const minCompressedLength = 4 * 1024;
/** For longer responses brotli takes too long, although it would save another fifth of the size. */
const maxBrotliLength = 1024 ** 2;
const brotliQuality = { params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } };

/** Writes directly to the socket, bypassing the HTTP library's hooks. */
function sendText(reply: FastifyReply, text: string): void {
  const { raw } = reply.hijack();
  const send = (body: string | Buffer, encoding = {}): void => {
    const headers = reply.getHeaders() as Record<string, string>; // a copy; all values set here are strings
    headers["Content-Type"] = jsonType;
    headers["Content-Length"] = String(Buffer.byteLength(body));
    raw.writeHead(200, Object.assign(headers, encoding));
    raw.end(body);
  };
  const accepts = (encoding: "gzip" | "br"): boolean => isAccepted(reply.request, encoding);
  if (text.length < minCompressedLength || !accepts("gzip")) {
    send(text);
    return;
  }
  const encoding = text.length < maxBrotliLength && accepts("br") ? "br" : "gzip";
  const sendCompressed = (error: Error | null, compressed: Buffer): void => {
    if (error) send(text);
    else send(compressed, { "Content-Encoding": encoding, Vary: "Accept-Encoding" });
  };
  if (encoding === "br") brotliCompress(text, brotliQuality, sendCompressed);
  else gzip(text, { level: 1 }, sendCompressed);
}

const isAccepted = ({ headers }: FastifyRequest, encoding: "gzip" | "br"): boolean =>
  String(headers["accept-encoding"])
    .split(/ *, */)
    .some((each) => each === encoding || (each.startsWith(`${encoding};`) && !each.endsWith("q=0")));
