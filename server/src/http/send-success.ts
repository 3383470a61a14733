/** Sends the response of an endpoint that succeeded. */
import { brotliCompress, constants as zlib, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Context } from "../context.ts";
import { toBuffers, toGzip } from "../platform/shared-text.ts";
import { JoinedText, JsonText, LastingResponse, Redirect } from "./handle.ts";
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
  if (result instanceof JoinedText) {
    if (ctx.config.checkResponses) {
      const {
        result: _result,
        msg: _msg,
        ignored_parameters_unsupported: _ignored,
        ...fields
      } = JSON.parse(Buffer.concat(toBuffers(result.pieces)).toString()) as Record<string, unknown>; // a response is an object
      checkResponse(route, fields);
    }
    sendJoined(reply, result);
    return;
  }
  if (ctx.config.checkResponses) checkResponse(route, result);
  const ignored = unsupported.length > 0 ? { ignored_parameters_unsupported: unsupported } : undefined;
  sendText(reply, JSON.stringify({ result: "success", msg: "", ...result, ...ignored }));
}

function checkResponse(route: Route, result: object): void {
  const checked = route.answer.safeParse(result);
  if (!checked.success)
    throw new Error(
      `the response of ${route.endpoint.operation} does not match its declaration: ${z.prettifyError(checked.error)}`,
    );
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
    raw.writeHead(200, headersFor(reply, Buffer.byteLength(body), encoding));
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

/** Shorter joined texts are small enough to be compressed as a whole. */
const minJoinedLength = 128 * 1024;

/** A long text is sent as it is stored: neither copied nor compressed again. */
function sendJoined(reply: FastifyReply, { pieces }: JoinedText): void {
  const buffers = toBuffers(pieces);
  if (lengthOf(buffers) < minJoinedLength) {
    sendText(reply, Buffer.concat(buffers).toString());
    return;
  }
  const { raw } = reply.hijack();
  const send = (parts: readonly Buffer[], encoding = {}): void => {
    raw.writeHead(200, headersFor(reply, lengthOf(parts), encoding));
    raw.cork();
    for (const part of parts) raw.write(part);
    raw.end();
  };
  const sendPlain = (): void => send(buffers);
  if (!isAccepted(reply.request, "gzip")) {
    sendPlain();
    return;
  }
  toGzip(pieces).then(
    (compressed) => send(compressed, { "Content-Encoding": "gzip", Vary: "Accept-Encoding" }),
    sendPlain,
  );
}

const lengthOf = (parts: readonly Buffer[]): number => parts.reduce((sum, { byteLength }) => sum + byteLength, 0);

function headersFor(reply: FastifyReply, length: number, more: Record<string, string>): Record<string, string> {
  const headers = reply.getHeaders() as Record<string, string>; // a copy; all values set here are strings
  return Object.assign(headers, { "Content-Type": jsonType, "Content-Length": String(length) }, more);
}

const isAccepted = ({ headers }: FastifyRequest, encoding: "gzip" | "br"): boolean =>
  String(headers["accept-encoding"])
    .split(/ *, */)
    .some((each) => each === encoding || (each.startsWith(`${encoding};`) && !each.endsWith("q=0")));
