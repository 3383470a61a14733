/** Serves a request to an endpoint: authentication, limits, parameters, the handler, retries, the response. */
import type { Surface } from "@skein/api/endpoint.ts";
import { getEvents, getEventSocket, getEventStream } from "@skein/api/registration.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import type { User } from "../identity/account.ts";
import { requireScope } from "../identity/scopes.ts";
import { needsStepUp, requireStepUp } from "../identity/step-up.ts";
import { StaleSession } from "../identity/sessions.ts";
import { statusOf } from "./send-error.ts";
import { sendSuccess } from "./send-success.ts";
import { hasLargeBody, isDeclaredLarge, smallBodyBytes } from "./bodies.ts";
import { csrfField } from "./browser-session.ts";
import { classOfStatus } from "../platform/metrics.ts";
import type { Span, Tracing } from "../platform/tracing.ts";
import { credentialsOf, verifyCsrf, findCaller, refuseIncomingWebhookBot } from "./caller.ts";
import { clientName } from "./client-name.ts";
import type { Form } from "./form.ts";
import type { RequestInfo } from "./handle.ts";
import { methodNotAllowed } from "./method-not-allowed.ts";
import { decodeParameters, unsupportedNames } from "./parameters.ts";
import { networkOf, type BucketLimiter, type RateLimiter } from "./rate-limit.ts";
import { originOf, readBody, readForm } from "./read-request.ts";
import { routeGroup } from "./route-groups.ts";
import { isUpgrade } from "./upgrades.ts";
import { allowed, effectiveMethod, type Methods, type Route } from "./routes.ts";

/** Each change of an organization makes all other requests in flight start over, and one of them succeeds. */
const attemptsWithStaleSession = 20;
const noNames: ReadonlySet<string> = new Set();

export interface Limiters {
  byUser: RateLimiter;
  /** Clients request events again after each one, so many requests in a busy channel are legitimate. */
  eventReads: BucketLimiter;
  byAddress: RateLimiter;
}

/** A request that is being served. */
interface Exchange {
  surface: Surface;
  route: Route;
  request: FastifyRequest;
  reply: FastifyReply;
  form: Form;
  /** The fields of the form that came in a JSON body. */
  jsonNames: ReadonlySet<string>;
  info: RequestInfo;
}

interface Admission {
  ctx: Context;
  surface: Surface;
  limiters: Limiters;
  /** At least one of the path's endpoints requires an account. */
  takesAccount: boolean;
  url: string;
}

/** Runs before the body is read. */
export function onRequestOf(admission: Admission) {
  const [usualGroup, groupOfPosts] = [routeGroup(admission.url, "GET"), routeGroup(admission.url, "POST")];
  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void): void => {
    reply.raw.routeGroup = request.method === "POST" ? groupOfPosts : usualGroup;
    if (hasLargeBody(request)) admitLargeBody(admission, request, reply).then(() => done(), done);
    else done();
  };
}

/**
 * Reading a large body is expensive, so it is read only for an account, after counting the request. Parsing a large form
 * blocks the event loop, so it counts as many small ones.
 */
async function admitLargeBody(
  { ctx, surface, limiters, takesAccount }: Admission,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (!takesAccount) return;
  try {
    const user = await findCaller(ctx, credentialsOf(ctx, surface, request), calledFrom(request));
    if (ctx.config.rateLimits) {
      reply.headers(limiters.byUser.count(user.id));
      request.countForm = (bytes) => {
        const more = Math.ceil(bytes / smallBodyBytes) - 1;
        if (more > 0) reply.headers(limiters.byUser.count(user.id, more));
      };
    }
    request.isCounted = true;
    request.maxBody = Infinity;
  } catch (error) {
    // A body of unknown length may be small; then the request fails later, like any other unauthenticated one.
    const isUnknown = error instanceof ApiError && error.status === 401 && !isDeclaredLarge(request);
    if (!isUnknown) throw error;
  }
}

export async function serveEndpoint(
  ctx: Context,
  surface: Surface,
  methods: Methods,
  limiters: Limiters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const form = readForm(request);
  const jsonNames = readBody(request)?.jsonNames ?? noNames;
  const method = effectiveMethod(request.method, methods, form, jsonNames);
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
  if (ctx.tracing) info.span = startSpan(ctx.tracing, route, request);
  const count = (status: number): void => {
    ctx.metrics.operations.inc(route.endpoint.operation, classOfStatus(status));
    info.span?.end({ "http.response.status_code": status }, status >= 500 ? "server error" : undefined);
  };
  try {
    ctx.maintenance.refuseChange(method, route.endpoint.operation);
    const result = await runWithSession(ctx, limiters, { surface, route, request, reply, form, jsonNames, info });
    sendSuccess(ctx, route, reply, result, info.unsupported);
  } catch (error) {
    count(statusOf(error));
    throw error;
  }
  count(200);
}

function startSpan(tracing: Tracing, { endpoint }: Route, request: FastifyRequest): Span | undefined {
  const { traceparent } = request.headers;
  return tracing.start(endpoint.operation, {
    kind: "server",
    parent: typeof traceparent === "string" ? traceparent : undefined,
    isForeign: true,
    attributes: {
      "http.request.method": endpoint.method,
      "http.route": endpoint.path,
      "skein.request_id": request.id,
    },
  });
}

function requestInfo(
  ctx: Context,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  form: Form,
): RequestInfo {
  const given = request.headers["last-event-id"];
  const lastEventId = typeof given === "string" ? given : undefined;
  const origin = originOf(ctx, request);
  return {
    clientName: clientName(request.headers["user-agent"]),
    ip: request.ip,
    id: request.id,
    // Not a getter, although few handlers need it: objects with a getter of their own slow down garbage collection.
    origin,
    host: request.hostname,
    unsupported: unsupportedNames(route.plan, form).filter((name) => name !== csrfField),
    files: readBody(request)?.files ?? [],
    arriving: readBody(request)?.arriving,
    lastEventId: lastEventId === "" ? undefined : lastEventId,
    isOwnPage: isOwnPage(request, origin),
    isUpgrade: isUpgrade(request.raw),
    onClose: (callback) => {
      if (reply.raw.closed) callback();
      else reply.raw.once("close", callback);
    },
  };
}

/** Browsers tell which page sends a request; other programs do not. */
function isOwnPage(request: FastifyRequest, own: string): boolean | undefined {
  const { origin } = request.headers;
  if (origin === undefined) return undefined;
  // An organization may have a host of its own, besides the server's external URL.
  return origin === own || origin === `${request.protocol}://${request.host}`;
}

/** Runs the handler for the calling account, and starts over if that account has changed in the meantime. */
async function runWithSession(ctx: Context, limiters: Limiters, exchange: Exchange): Promise<object> {
  const { surface, route, request, reply, form, jsonNames, info } = exchange;
  const path = pathOf(route, request);
  if (route.endpoint.auth === "none") {
    const network = networkOf(request.ip);
    if (ctx.config.rateLimits) reply.headers(limiters.byAddress.count(network));
    return route.run({
      ctx,
      user: undefined,
      params: decodeParameters(route.plan, path, form, jsonNames),
      request: Object.assign(info, { network }),
    });
  }
  const credentials = credentialsOf(ctx, surface, request);
  const authenticate = async (): Promise<User> => {
    const user = await findCaller(ctx, credentials, calledFrom(request));
    refuseIncomingWebhookBot(user, route.endpoint.operation);
    return user;
  };
  for (let attempt = 1; ; attempt++) {
    let user: User | undefined;
    try {
      user = await findCaller(ctx, credentials, calledFrom(request));
      if (surface === "browsers") verifyCsrf(ctx, request, reply, exchange);
      refuseIncomingWebhookBot(user, route.endpoint.operation);
      if (attempt === 1 && ctx.config.rateLimits && !request.isCounted)
        reply.headers(limiterOf(limiters, route).count(user.id));
      requireScope(user, route.endpoint.scope);
      if (route.verification === "before") await ctx.sessions.verify(user);
      if (route.endpoint.stepUp === true) await requireStepUp(ctx.db, user);
      const params = decodeParameters(route.plan, path, form, jsonNames);
      if (needsStepUp(route.endpoint, params)) await requireStepUp(ctx.db, user);
      return await route.run({
        ctx,
        user,
        params,
        request: Object.assign(info, { credentials, authenticate }),
      });
    } catch (error) {
      if (!(error instanceof StaleSession) || user === undefined) throw error;
      if (attempt >= attemptsWithStaleSession)
        throw new ApiError("This account is being changed, try again", { status: 503 });
      ctx.sessions.forget(user.id);
    }
  }
}

const eventOperations: ReadonlySet<string> = new Set(
  [getEvents, getEventStream, getEventSocket].map(({ operation }) => operation),
);

const limiterOf = ({ byUser, eventReads }: Limiters, { endpoint }: Route): RateLimiter | BucketLimiter =>
  eventOperations.has(endpoint.operation) ? eventReads : byUser;

const calledFrom = ({ hostname, ip }: FastifyRequest) => ({ host: hostname, network: networkOf(ip), ip });

function pathOf({ rest }: Route, request: FastifyRequest): Record<string, string> {
  const path = request.params as Record<string, string>; // the router's own, by the names in the url
  return rest === undefined ? path : { ...path, [rest]: path["*"] ?? "" };
}
