/** `POST /api/v1/external/{integration}`: where services outside deliver what they have to say. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { methodNotAllowed } from "../../http/method-not-allowed.ts";
import { limits, RateLimiter, type RateHeaders } from "../../http/rate-limit.ts";
import type { Page, PageAnswer, PageMethod, PageRequest } from "../../http/router.ts";
import type { Integration } from "./integration.ts";
import { findIntegration } from "./integrations.ts";
import { receive } from "./receive.ts";

/** Parameters every address may have, beside those of its integration. */
const usualParameters = ["api_key", "stream", "topic", "only_events", "exclude_events"];

const json = "application/json; charset=utf-8";
/** Deliveries are posted; whoever opens the address to see whether it is right is told that it is one. */
const otherMethods: PageMethod[] = ["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS"];

export function incomingWebhookPages(ctx: Context): Page[] {
  const limiter = new RateLimiter(limits.apiByUser);
  const serve = async (request: PageRequest): Promise<PageAnswer> => {
    const integration = accessIntegration(request);
    let headers: Partial<RateHeaders> = {};
    try {
      await receive(ctx, integration, request, (bot) => {
        if (ctx.config.rateLimits) headers = limiter.count(bot.id);
      });
      return answer(integration, 200, headers, { result: "success", msg: "", ...ignored(integration, request) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { message, code, status, data } = error;
      const result = status < 300 ? "success" : "error";
      return answer(integration, status, { ...headers, ...error.headers }, { result, msg: message, code, ...data });
    }
  };
  return ["", "/"].flatMap((slash): Page[] => {
    const path = `/api/v1/external/:integration${slash}`;
    return [
      { path, method: "POST", keepsBody: true, serve },
      { path, method: otherMethods, serve: refuseMethod },
    ];
  });
}

function accessIntegration({ params }: PageRequest): Integration {
  const integration = findIntegration(params["integration"] ?? "");
  if (!integration) throw new ApiError("Page not found", { status: 404 });
  return integration;
}

async function refuseMethod(request: PageRequest): Promise<PageAnswer> {
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
): PageAnswer {
  const extra = integration.answer?.(body.result === "error" ? body.msg : undefined);
  return {
    status,
    type: json,
    headers,
    body: JSON.stringify({ ...body, ...extra }),
  };
}

/** Names in the address that mean nothing here. */
function ignored({ options }: Integration, { path }: PageRequest): Record<string, string[]> {
  const known = new Set([...usualParameters, ...options.map(({ key }) => key)]);
  const query = new URLSearchParams(path.split("?")[1] ?? "");
  const names = [...new Set(query.keys())].filter((name) => !known.has(name)).toSorted();
  return names.length > 0 ? { ignored_parameters_unsupported: names } : {};
}
