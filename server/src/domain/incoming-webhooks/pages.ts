/** `POST /api/v1/external/{integration}`: where services outside deliver what they have to say. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { limits, RateLimiter, type RateHeaders } from "../../http/rate-limit.ts";
import type { Page, PageAnswer, PageRequest } from "../../http/router.ts";
import type { Integration } from "./integration.ts";
import { findIntegration } from "./integrations.ts";
import { receive } from "./receive.ts";

/** Parameters every address may have, beside those of its integration. */
const usualParameters = ["api_key", "stream", "topic", "only_events", "exclude_events"];

export function incomingWebhookPages(ctx: Context): Page[] {
  const limiter = new RateLimiter(limits.apiByUser);
  const serve = async (request: PageRequest): Promise<PageAnswer> => {
    const integration = findIntegration(request.params["integration"] ?? "");
    if (!integration) throw new ApiError("Page not found", { status: 404 });
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
  return ["", "/"].map((slash) => ({
    path: `/api/v1/external/:integration${slash}`,
    method: "POST",
    keepsBody: true,
    serve,
  }));
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
    type: "application/json; charset=utf-8",
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
