/** `POST /api/v1/external/{integration}`: receives deliveries of external services. */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { readPairs, type Form } from "../../../http/form.ts";
import { methodNotAllowed } from "../../../http/method-not-allowed.ts";
import { perMinute, RateLimiter, type RateHeaders } from "../../../http/rate-limit.ts";
import type { Page, PageResponse, PageMethod, PageRequest } from "../../../http/page.ts";
import { accessWebhookBot } from "./access.ts";
import type { Integration } from "./integration.ts";
import { findIntegration } from "./integrations.ts";
import { receive } from "./receive.ts";

/** URL parameters that every integration accepts. */
const usualParameters = ["api_key", "stream", "topic", "only_events", "exclude_events"];

const json = "application/json; charset=utf-8";
/** Deliveries are POST requests; GET is for users who open the URL in a browser to check it. */
const otherMethods: PageMethod[] = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"];

export function incomingWebhookPages(ctx: Context): Page[] {
  const limiter = new RateLimiter(perMinute(ctx.config.requestsPerMinute));
  const serve = async (request: PageRequest): Promise<PageResponse> => {
    const integration = accessIntegration(request);
    const count = (outcome: "accepted" | "refused" | "failed") =>
      ctx.metrics.incomingWebhooks.inc({ integration: integration.name, outcome });
    let headers: Partial<RateHeaders> = {};
    try {
      await receive(ctx, integration, request, (bot) => {
        if (ctx.config.rateLimits) headers = limiter.count(bot.id);
      });
      count("accepted");
      return answer(integration, 200, headers, { result: "success", msg: "", ...ignored(integration, request) });
    } catch (error) {
      const isRefusal = error instanceof ApiError && error.status < 500;
      count(isRefusal ? "refused" : "failed");
      if (!(error instanceof ApiError)) throw error;
      const { message, code, status, data } = error;
      const result = status < 300 ? "success" : "error";
      return answer(integration, status, { ...headers, ...error.headers }, { result, msg: message, code, ...data });
    }
  };
  return ["", "/"].flatMap((slash): Page[] => {
    const path = `/api/v1/external/:integration${slash}`;
    return [
      { path, method: "POST", keepsBody: true, admitLargeBody: (request) => accessWebhookBot(ctx, request), serve },
      { path, method: otherMethods, serve: refuseMethod },
    ];
  });
}

function accessIntegration({ params }: PageRequest): Integration {
  const integration = findIntegration(params["integration"] ?? "");
  if (!integration) throw new ApiError("Page not found", { status: 404 });
  return integration;
}

async function refuseMethod(request: PageRequest): Promise<PageResponse> {
  accessIntegration(request);
  const { body, ...answered } = methodNotAllowed(["POST"]);
  return { ...answered, type: json, body: JSON.stringify(body) };
}

interface AnswerBody {
  result: "success" | "error";
  msg: string;
  [field: string]: unknown;
}

function answer(
  integration: Integration,
  status: number,
  headers: Record<string, string>,
  body: AnswerBody,
): PageResponse {
  const extra = integration.answer?.(body.result === "error" ? body.msg : undefined);
  return {
    status,
    type: json,
    headers,
    body: JSON.stringify({ ...body, ...extra }),
  };
}

/** Unknown URL parameters. */
function ignored({ options }: Integration, { path }: PageRequest): Record<string, string[]> {
  const known = new Set([...usualParameters, ...options.map(({ key }) => key)]);
  const query: Form = new Map();
  readPairs(path.split("?")[1] ?? "", query);
  const names = [...query.keys()].filter((name) => !known.has(name)).toSorted();
  return names.length > 0 ? { ignored_parameters_unsupported: names } : {};
}
