/** Sends the response for a failed request and writes the log line. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { ApiError, beingMoved } from "../errors.ts";
import { isDatabaseOutage } from "../platform/db/outage.ts";
import { maintenanceHeader } from "./maintenance.ts";
import { discardSlowly } from "./rejected-bodies.ts";
import { roots } from "./routes.ts";

/** PostgreSQL errors caused by the caller's values, wherever they occur. */
const invalidValueErrors: Record<string, string> = {
  "22021": "Null bytes are not allowed",
  "22P05": "Null bytes are not allowed",
  "22003": "Number out of range",
};

const unavailable = {
  result: "error",
  msg: "The server cannot reach its database at the moment. Try again in a few seconds.",
  code: "SERVICE_UNAVAILABLE",
};

/** Every request fails during an outage, so it is logged only every few seconds, with the number of requests. */
const outages = {
  milliseconds: 5000,
  nextAt: 0,
  unreported: 0,
  report(ctx: Pick<Context, "logger">, { id, method, path }: FailedRequest, err: unknown): void {
    this.unreported++;
    if (Date.now() < this.nextAt) return;
    const about = { request_id: id, method, path };
    ctx.logger.error({ ...about, requests: this.unreported, err }, "PostgreSQL is not available");
    this.nextAt = Date.now() + this.milliseconds;
    this.unreported = 0;
  },
};

export function sendError(ctx: Context, request: FastifyRequest, reply: FastifyReply, thrown: unknown): void {
  discardSlowly(request.raw);
  const { errorBody } = request.routeOptions.config;
  if (statusOf(thrown) === 401 && !errorBody && isBrowserNavigation(request)) {
    reply.redirect(`/login/?next=${encodeURIComponent(request.url)}`);
    return;
  }
  const maintenance = ctx.maintenance.message;
  if (maintenance !== undefined) reply.header(maintenanceHeader, encodeURIComponent(maintenance));
  const { id, method } = request;
  const { status, headers, body } = describeError(ctx, thrown, { id, method, path: loggedPath(request) });
  reply.code(status).headers(headers);
  if (!errorBody) {
    reply.send(body);
    return;
  }
  const { msg, ...data } = body;
  const own = errorBody(status, msg, data);
  reply.type(own.type).send(own.body);
}

interface FailedRequest {
  id: string;
  method: string;
  /** For the log, without secrets. */
  path: string;
}

/** What a client is told about the error. Writes the log line, unless the client is to blame. */
export function describeError(
  ctx: Pick<Context, "logger">,
  thrown: unknown,
  request: FailedRequest,
): { status: number; headers: Record<string, string>; body: { msg: string } & Record<string, unknown> } {
  const error = toApiError(thrown);
  if (error) {
    const { message, code, status, data, headers } = error;
    return { status, headers, body: { result: "error", msg: shortened(message), code, ...data } };
  }
  if (isDatabaseOutage(thrown)) {
    outages.report(ctx, request, thrown);
    return { status: 503, headers: { "Retry-After": "5", "X-Request-Id": request.id }, body: unavailable };
  }
  const { id, method, path } = request;
  ctx.logger.error({ request_id: id, method, path, err: thrown }, "request failed");
  return { status: 500, headers: { "X-Request-Id": id }, body: { result: "error", msg: "Internal server error" } };
}

/** Some messages repeat a value of the caller's, which may be megabytes long. */
const maxMessageLength = 2000;
const shortened = (message: string): string =>
  message.length <= maxMessageLength ? message : `${message.slice(0, maxMessageLength).toWellFormed()}…`;

/** The route with only numeric ids filled in, because anything else in a URL may be a secret. */
export function loggedPath({ routeOptions, params }: Pick<FastifyRequest, "routeOptions" | "params">): string {
  const values = params as Record<string, string>; // the router's own, by the names in the url
  return (routeOptions.url ?? "unknown").replaceAll(/:(\w+)(?:\([^)]*\))?/g, (_, name: string) => {
    const value = values[name] ?? "";
    return /^\d{1,20}$/.test(value) ? value : `{${name}}`;
  });
}

/**
 * A user opens the URL in a browser without an API key, so redirecting to the login page is better than an error. Not for
 * the API, which requires a key, so that signing in would not help.
 */
const isBrowserNavigation = ({ method, headers, url }: FastifyRequest): boolean =>
  (method === "GET" || method === "HEAD") &&
  headers.authorization === undefined &&
  headers.accept?.includes("text/html") === true &&
  !url.startsWith(`${roots.keys}/`) &&
  !/[?&]api_key=/.test(url);

/** The ApiError for this error; undefined for a bug or an outage. */
function toApiError(thrown: unknown): ApiError | undefined {
  if (thrown instanceof ApiError) return thrown;
  if (!(thrown instanceof Error)) return undefined;
  const { code, statusCode } = thrown as { code?: unknown; statusCode?: unknown };
  // Raised by guard_moving_realm() of the database.
  if (code === "SK001") return beingMoved();
  const message = typeof code === "string" ? invalidValueErrors[code] : undefined;
  if (message !== undefined) return new ApiError(message);
  // Errors of the HTTP library: body too large, malformed request.
  if (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500)
    return new ApiError(thrown.message, { status: statusCode });
  return undefined;
}

/** The status that sendError() sends for this error. */
export const statusOf = (thrown: unknown): number =>
  toApiError(thrown)?.status ?? (isDatabaseOutage(thrown) ? 503 : 500);
