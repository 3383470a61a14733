/**
 * Requests in, answers out. The only part that knows the HTTP library. A path is one route; which endpoint of it is
 * meant is decided here, because a POST may name another method in its form.
 */
import { botTypes } from "@skein/api/bots.ts";
import type { Readable } from "node:stream";
import { brotliCompress, constants as zlib, gzip } from "node:zlib";
import { isRestOfPath, pathNames, type Endpoint, type Surface } from "@skein/api/endpoint.ts";
import { sendMessage } from "@skein/api/messages.ts";
import fastify, { LogController, type FastifyReply, type FastifyRequest } from "fastify";
import { z } from "zod";
import type { Context } from "../context.ts";
import { ApiError, notSignedIn, unauthorized } from "../errors.ts";
import {
  browserCredentials,
  csrfField,
  csrfHeader,
  demandCsrfToken,
  formToken,
  type Browser,
} from "./browser-session.ts";
import { clientName } from "./client-name.ts";
import { readMultipart, readPairs, type Body, type Form } from "./form.ts";
import { JsonText, Redirect, type BoundEndpoint, type RequestInfo } from "./handle.ts";
import { methodNotAllowed } from "./method-not-allowed.ts";
import { decodeParameters, planParameters, unsupportedNames, type ParameterPlan } from "./parameters.ts";
import { limits, RateLimiter } from "./rate-limit.ts";
import { openNothing, readCredentials, StaleSession, type Credentials, type User } from "./sessions.ts";

/** The type of bodies that are bytes and nothing else. */
export const rawBytes = "application/offset+octet-stream";

const maxBodyBytes = 26 * 1024 ** 2;
/** Of parameters alone: to take them apart holds everybody else up, some 25 ms a mebibyte. */
const maxFormBytes = 10 * 1024 ** 2;
/** What a GET says is in its address, and with it long lists of ids. */
const maxHeaderBytes = 128 * 1024;
/** Each change of an organization sends all others under way back to their start, and one of them goes through. */
const attemptsWithStaleSession = 20;

/** Bots that bring in what other programs have to say can do nothing else, so that their keys may be given away. */
const openToIncomingWebhooks: ReadonlySet<string> = new Set([sendMessage.operation]);

interface Route extends BoundEndpoint {
  plan: ParameterPlan;
  /** The parameter that takes the rest of the path. */
  rest: string | undefined;
  answer: z.ZodType;
}
type Methods = Map<string, Route>;

const roots: Record<Surface, string> = { keys: "/api/v1", browsers: "/json" };
const surfaces: Surface[] = ["keys", "browsers"];

export interface PageAnswer {
  status: number;
  type: string;
  headers?: Record<string, string>;
  /** Cookies to set, as writeCookie() has them. */
  cookies?: string[];
  body: string | Buffer | Readable;
}

export interface PageRequest {
  method: string;
  path: string;
  /** The named parts of the path. */
  params: Record<string, string>;
  /** From the query and the body. */
  form: Form;
  /** The host name the client used, and its address with it: `https://chat.example.com`. */
  host: string;
  origin: string;
  /** Where the request comes from. */
  ip: string;
  /** The header with credentials, if there is one. */
  authorization: string | undefined;
  /** Whose cookies tell who is signed in there. */
  browser: Browser;
  /** A page of another site made the browser send this. */
  isCrossSite: boolean;
  /** By its name in small letters. */
  header: (name: string) => string | undefined;
  /** What is being sent, for a page that takes it so. */
  body: Readable | undefined;
  /** What was sent, for a page that keeps it. */
  bytes: Buffer | undefined;
}

export type PageMethod = "GET" | "POST" | "HEAD" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

export interface Page {
  path: string;
  /** GET when left out. */
  method?: PageMethod | PageMethod[];
  /** Takes bodies of this type as they arrive; without a limit of size but its own. */
  streams?: typeof rawBytes;
  /** Is given the body as it was sent, whatever its type; only a multipart one is read as a form. */
  keepsBody?: boolean;
  serve: (request: PageRequest) => Promise<PageAnswer>;
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Files in the body are kept for the handler. */
    takesFile?: boolean;
    /** Or they are left in the body, which the handler reads. */
    streamsFile?: boolean;
    /** A body of plain bytes is left to the page. */
    streamsBytes?: boolean;
    /** Bodies of every type are handed on as they are. */
    keepsBody?: boolean;
  }
}

export type HttpServer = ReturnType<typeof createServer>;

export function createServer(ctx: Context, bound: BoundEndpoint[], pages: Page[]) {
  const app = fastify({
    bodyLimit: maxBodyBytes,
    http: { maxHeaderSize: maxHeaderBytes },
    trustProxy: ctx.config.trustProxy,
    loggerInstance: ctx.logger,
    logController: new LogController({ disableRequestLogging: true }),
    requestIdHeader: false,
    genReqId: requestIds(ctx.config.nodeName),
    // A logger for each request costs more than the request's own work; what is logged says which request it is.
    childLoggerFactory: (logger) => logger,
    routerOptions: { maxParamLength: 1000 },
    return503OnClosing: false,
    forceCloseConnections: true,
    // An address that is no text reaches no route, and leads nowhere.
    // (The option is typed for the answers of a route, and there is none.)
    frameworkErrors: (_error, _request, reply) => void (reply as unknown as FastifyReply).code(404).send(pageNotFound),
  });
  app.removeAllContentTypeParsers();
  const asText = { parseAs: "string" as const, bodyLimit: maxFormBytes };
  app.addContentTypeParser("application/x-www-form-urlencoded", asText, (request, body: string, done) => {
    const form: Form = new Map();
    if (request.routeOptions.config.keepsBody === true) {
      done(null, { form, files: [], bytes: Buffer.from(body) } satisfies Body);
      return;
    }
    try {
      readPairs(body, form);
      done(null, { form, files: [] } satisfies Body);
    } catch (error) {
      done(error as Error); // readPairs throws nothing but ApiError
    }
  });
  app.addContentTypeParser(/^multipart\/form-data/, (request, payload, done) => {
    const contentType = request.headers["content-type"] ?? "";
    const { takesFile: withFiles = false, streamsFile = false } = request.routeOptions.config;
    if (streamsFile) {
      done(null, { form: new Map(), files: [], arriving: { contentType, body: payload } } satisfies Body);
      return;
    }
    readMultipart({ contentType, body: payload, withFiles, maxBytes: maxBodyBytes }).then(
      (body) => done(null, body),
      done,
    );
  });
  app.addContentTypeParser(rawBytes, (request, payload, done) => {
    const isWanted = request.routeOptions.config.streamsBytes === true;
    if (!isWanted) payload.resume();
    done(null, isWanted ? payload : undefined);
  });
  // Whatever else is sent carries no parameters.
  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, body, done) => {
    const isKept = request.routeOptions.config.keepsBody === true;
    done(null, isKept ? ({ form: new Map(), files: [], bytes: Buffer.from(body) } satisfies Body) : undefined);
  });

  app.setErrorHandler((error, request, reply) => answerError(ctx, request, reply, error));
  app.setNotFoundHandler((_request, reply: FastifyReply) => {
    reply.code(404).send(pageNotFound);
  });

  const byUser = new RateLimiter(limits.apiByUser);
  const byAddress = new RateLimiter(limits.apiByAddress);
  for (const [url, methods, surface] of surfaces.flatMap((each) => routesByUrl(bound, each))) {
    const all = [...methods.values()].map(({ endpoint }) => endpoint);
    const takesFile = all.some(({ file }) => file !== undefined);
    const streamsFile = all.some((endpoint) => endpoint.streamsFile);
    app.all(url, { config: { takesFile, streamsFile } }, async (request, reply) => {
      await serve(ctx, surface, methods, { byUser, byAddress }, request, reply);
      return reply;
    });
  }
  for (const page of pages) {
    app.route({
      method: page.method ?? ["GET", "HEAD"],
      exposeHeadRoute: false,
      url: page.path,
      config: { streamsBytes: page.streams !== undefined, keepsBody: page.keepsBody === true },
      handler: async (request, reply) => {
        const { status, type, headers = {}, cookies = [], body } = await page.serve(pageRequest(ctx, request));
        for (const cookie of cookies) reply.header("Set-Cookie", cookie);
        // An answer to HEAD that leaves its body out has said how long it would be.
        const sent = request.method === "HEAD" && body === "" ? null : body;
        return reply.code(status).headers(headers).type(type).send(sent);
      },
    });
  }
  return app;
}

const pageNotFound = { result: "error", msg: "Page not found", code: "BAD_REQUEST" };

/** Unique in the logs of all nodes, and cheap: node, start of the process, number. */
function requestIds(node: string): () => string {
  const start = `${node}-${Date.now().toString(36)}-`;
  let number = 0;
  return () => start + (++number).toString(36);
}

function routesByUrl(bound: BoundEndpoint[], surface: Surface): [url: string, methods: Methods, surface: Surface][] {
  const urls = new Map<string, Methods>();
  for (const item of bound) {
    const { endpoint } = item;
    if (endpoint.only !== undefined && endpoint.only !== surface) continue;
    const url = `${roots[surface]}${endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(endpoint, name))}`;
    const methods: Methods = urls.get(url) ?? new Map();
    if (methods.has(endpoint.method)) throw new Error(`two endpoints for ${endpoint.method} ${url}`);
    const answer = z.strictObject(endpoint.returns);
    const rest = pathNames(endpoint.path).find((name) => takesRest(endpoint, name));
    methods.set(endpoint.method, { ...item, plan: planParameters(endpoint), rest, answer });
    urls.set(url, methods);
  }
  return [...urls].map(([url, methods]) => [url, methods, surface]);
}

/** A number in a path matches digits only, so that /users/7 and /users/{email} are two routes. */
function segment(endpoint: Endpoint, name: string): string {
  const schema = endpoint.params[name];
  if (!schema) throw new Error(`${endpoint.operation} does not declare {${name}}`);
  if (takesRest(endpoint, name)) return "*";
  const isNumber = !schema.safeParse("x").success && schema.safeParse("7").data === 7;
  return isNumber ? `:${name}(^\\d+$)` : `:${name}`;
}

const takesRest = ({ params }: Endpoint, name: string): boolean => {
  const schema = params[name];
  return schema !== undefined && isRestOfPath(schema);
};

interface Limiters {
  byUser: RateLimiter;
  byAddress: RateLimiter;
}

/** A request to an endpoint, on its way to the answer. */
interface Exchange {
  surface: Surface;
  route: Route;
  request: FastifyRequest;
  reply: FastifyReply;
  form: Form;
  info: RequestInfo;
}

async function serve(
  ctx: Context,
  surface: Surface,
  methods: Methods,
  limiters: Limiters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const begun = performance.now();
  const form = readForm(request);
  const method = effectiveMethod(request.method, methods, form);
  if (method === "OPTIONS") {
    reply.code(204).header("Allow", allowed(methods).join(", ")).send();
    return;
  }
  const route = methods.get(method === "HEAD" ? "GET" : method);
  if (!route) {
    const { status, headers, body } = methodNotAllowed(allowed(methods));
    reply.code(status).headers(headers).send(body);
    return;
  }
  const info = requestInfo(ctx, route, request, reply, form);
  const result = await runWithSession(ctx, limiters, { surface, route, request, reply, form, info });
  answerSuccess(ctx, route, reply, result, info.unsupported);
  if (route.verification !== "log")
    ctx.metrics.requests.observe(
      { operation: route.endpoint.operation, status: 200 },
      (performance.now() - begun) / 1000,
    );
}

function readForm(request: FastifyRequest): Form {
  const form: Form = readBody(request)?.form ?? new Map();
  const query = request.url.indexOf("?");
  if (query >= 0) readPairs(request.url.slice(query + 1), form);
  return form;
}

/** Set by our own parsers: a form, or the stream itself. */
const readBody = (request: FastifyRequest): Body | undefined =>
  isStream(request) ? undefined : (request.body as Body | undefined);

const isStream = (request: FastifyRequest): boolean =>
  request.routeOptions.config.streamsBytes === true && request.body !== undefined && request.body === request.raw;

/** A POST may say which method it means, for callers that can send no other. */
function effectiveMethod(method: string, methods: Methods, form: Form): string {
  const named = method === "POST" ? form.get("method") : undefined;
  if (named === undefined || methods.get("POST")?.plan.known.has("method")) return method;
  if (!["PATCH", "PUT", "DELETE"].includes(named)) return method;
  form.delete("method");
  return named;
}

const allowed = (methods: Methods) => [...methods.keys(), ...(methods.has("GET") ? ["HEAD"] : [])].toSorted();

const pageRequest = (ctx: Context, request: FastifyRequest): PageRequest => ({
  method: request.method,
  path: request.url,
  params: request.params as Record<string, string>, // the router's own, by the names in the url
  form: readForm(request),
  host: request.hostname,
  origin: originOf(ctx, request),
  ip: request.ip,
  authorization: request.headers.authorization,
  browser: browserOf(request),
  isCrossSite: request.headers["sec-fetch-site"] === "cross-site",
  header: (name) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  },
  body: isStream(request) ? request.raw : undefined,
  bytes: readBody(request)?.bytes,
});

const browserOf = ({ headers, protocol }: FastifyRequest): Browser => ({
  cookies: headers.cookie,
  isSecure: protocol === "https",
});

const originOf = (ctx: Context, request: FastifyRequest): string =>
  ctx.config.externalUrl === "" ? `${request.protocol}://${request.host}` : ctx.config.externalUrl;

function requestInfo(
  ctx: Context,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  form: Form,
): RequestInfo {
  return {
    clientName: clientName(request.headers["user-agent"]),
    origin: originOf(ctx, request),
    host: request.hostname,
    unsupported: unsupportedNames(route.plan, form).filter((name) => name !== csrfField),
    files: readBody(request)?.files ?? [],
    arriving: readBody(request)?.arriving,
    whenGone: (callback) => {
      if (reply.raw.closed) callback();
      else reply.raw.once("close", callback);
    },
  };
}

/** Runs the handler for the account that asks, again from the start when that account changed meanwhile. */
async function runWithSession(ctx: Context, limiters: Limiters, exchange: Exchange): Promise<object> {
  const { surface, route, request, reply, form, info } = exchange;
  const path = pathOf(route, request);
  if (route.endpoint.auth === "none") {
    if (ctx.config.rateLimits) reply.headers(limiters.byAddress.count(request.ip));
    return route.run({ ctx, user: undefined, params: decodeParameters(route.plan, path, form), request: info });
  }
  const credentials = credentialsOf(surface, request);
  for (let attempt = 1; ; attempt++) {
    let user: User | undefined;
    try {
      user = await ctx.sessions.find(credentials);
      // What opens an organization opens that one only, whose host name, if it has one, is the one that was called.
      if (user.realm.host !== null && user.realm.host !== info.host) throw openNothing(credentials);
      if (surface === "browsers") demandOwnPage(exchange);
      if (user.bot_type === botTypes.incomingWebhook && !openToIncomingWebhooks.has(route.endpoint.operation))
        throw unauthorized("This API is not available to incoming webhook bots.");
      if (attempt === 1 && ctx.config.rateLimits) reply.headers(limiters.byUser.count(user.id));
      if (route.verification === "before") await ctx.sessions.verify(user);
      const params = decodeParameters(route.plan, path, form);
      return await route.run({ ctx, user, params, request: Object.assign(info, { credentials }) });
    } catch (error) {
      if (!(error instanceof StaleSession) || user === undefined) throw error;
      if (attempt >= attemptsWithStaleSession)
        throw new ApiError("This account is being changed, try again", { status: 503 });
      ctx.sessions.forget(user.id);
    }
  }
}

function credentialsOf(surface: Surface, request: FastifyRequest): Credentials {
  if (surface === "keys") return readCredentials(request.headers.authorization);
  const credentials = browserCredentials(browserOf(request));
  if (!credentials) throw notSignedIn();
  return credentials;
}

/** A browser sends its cookie whosever page made it ask: what changes something has to come from a page of ours. */
function demandOwnPage({ request, reply, form }: Exchange): void {
  const browser = browserOf(request);
  for (const cookie of formToken(browser).cookies) reply.header("Set-Cookie", cookie);
  if (request.method === "GET" || request.method === "HEAD") return;
  const header = request.headers[csrfHeader];
  demandCsrfToken(browser, typeof header === "string" ? header : form.get(csrfField));
}

function pathOf({ rest }: Route, request: FastifyRequest): Record<string, string> {
  const path = request.params as Record<string, string>; // the router's own, by the names in the url
  return rest === undefined ? path : { ...path, [rest]: path["*"] ?? "" };
}

function answerSuccess(ctx: Context, route: Route, reply: FastifyReply, result: object, unsupported: string[]): void {
  if (result instanceof Redirect) {
    reply.redirect(result.location);
    return;
  }
  if (result instanceof JsonText) {
    answerText(reply, result.text);
    return;
  }
  if (ctx.config.checkResponses) {
    const checked = route.answer.safeParse(result);
    if (!checked.success)
      throw new Error(`answer of ${route.endpoint.operation} is not as declared: ${z.prettifyError(checked.error)}`);
  }
  const ignored = unsupported.length > 0 ? { ignored_parameters_unsupported: unsupported } : undefined;
  answerText(reply, JSON.stringify({ result: "success", msg: "", ...result, ...ignored }));
}

const jsonType = "application/json; charset=utf-8";

/** Shorter ones fit into a few packets as they are. */
const worthCompressing = 8 * 1024;
/** From here on the time it takes counts for more than the last fifth of its size. */
const longText = 1024 ** 2;
const brotliQuality = { params: { [zlib.BROTLI_PARAM_QUALITY]: 4 } };

/** Straight to the socket: nothing else has to look at it. */
function answerText(reply: FastifyReply, text: string): void {
  const { raw } = reply.hijack();
  const headers = { ...(reply.getHeaders() as Record<string, string>), "Content-Type": jsonType }; // only texts are ever set here
  const send = (body: string | Buffer, encoding = {}): void => {
    raw.writeHead(200, { ...headers, ...encoding, "Content-Length": Buffer.byteLength(body) });
    raw.end(body);
  };
  const takes = (encoding: "gzip" | "br"): boolean => isAccepted(reply.request, encoding);
  if (text.length < worthCompressing || !takes("gzip")) {
    send(text);
    return;
  }
  const encoding = text.length < longText && takes("br") ? "br" : "gzip";
  const sendPacked = (error: Error | null, packed: Buffer): void => {
    if (error) send(text);
    else send(packed, { "Content-Encoding": encoding, Vary: "Accept-Encoding" });
  };
  if (encoding === "br") brotliCompress(text, brotliQuality, sendPacked);
  else gzip(text, { level: 1 }, sendPacked);
}

const isAccepted = ({ headers }: FastifyRequest, encoding: "gzip" | "br"): boolean =>
  String(headers["accept-encoding"])
    .split(/ *, */)
    .some((each) => each === encoding || (each.startsWith(`${encoding};`) && !each.endsWith("q=0")));

/** Texts PostgreSQL cannot store (a NUL) and numbers it cannot hold are the caller's mistake wherever they come up. */
const refusedByDatabase: Record<string, string> = {
  "22021": "Null bytes are not allowed",
  "22P05": "Null bytes are not allowed",
  "22003": "Number out of range",
};

function answerError(ctx: Context, request: FastifyRequest, reply: FastifyReply, thrown: unknown): void {
  const error = toApiError(thrown);
  if (error?.status === 401 && isVisit(request)) {
    reply.redirect(`/login/?next=${encodeURIComponent(request.url)}`);
    return;
  }
  if (error) {
    const { message, code, status, data, headers } = error;
    reply
      .code(status)
      .headers(headers)
      .send({ result: "error", msg: message, code, ...data });
    return;
  }
  const path = request.url.split("?", 1)[0];
  ctx.logger.error({ request_id: request.id, method: request.method, path, err: thrown }, "request failed");
  reply.code(500).header("X-Request-Id", request.id).send({ result: "error", msg: "Internal server error" });
}

/**
 * Somebody opens an address in a browser, without a key: a page to sign in serves them better than an error. Not where
 * signing in would not help, which is where keys are asked for.
 */
const isVisit = ({ method, headers, url }: FastifyRequest): boolean =>
  (method === "GET" || method === "HEAD") &&
  headers.authorization === undefined &&
  headers.accept?.includes("text/html") === true &&
  !url.startsWith(`${roots.keys}/`) &&
  !/[?&]api_key=/.test(url);

function toApiError(thrown: unknown): ApiError | undefined {
  if (thrown instanceof ApiError) return thrown;
  if (!(thrown instanceof Error)) return undefined;
  const { code, statusCode } = thrown as { code?: unknown; statusCode?: unknown };
  const refused = typeof code === "string" ? refusedByDatabase[code] : undefined;
  if (refused !== undefined) return new ApiError(refused);
  // The HTTP library's own refusals: body too large, malformed request.
  if (typeof statusCode === "number" && statusCode >= 400 && statusCode < 500)
    return new ApiError(thrown.message, { status: statusCode });
  return undefined;
}
