/**
 * Pages of one organization for people who are not signed in, or about to be. All of them are limited by network
 * address, take forms from pages of our own alone, look like the organization, and tell refusals as a page, or as JSON
 * to whoever prefers that.
 */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { csrfField, csrfHeader, demandCsrfToken, formToken } from "../../http/browser-session.ts";
import { discreet, plainPage, type Brand, type PlainPage } from "../../http/pages/plain-page.ts";
import { RateLimiter, type Limit } from "../../http/rate-limit.ts";
import type { Page, PageAnswer, PageRequest } from "../../http/router.ts";
import type { Realm } from "../../http/sessions.ts";
import { realmDeactivated } from "../auth/password-login.ts";
import { findRealm } from "../realm/find-realm.ts";
import { pictureUrl } from "../realm/icon.ts";
import { organizationClosed, refusal } from "./views.ts";
import type { Visit } from "./visit.ts";

type Serve = (ctx: Context, visit: Visit) => Promise<PlainPage | PageAnswer>;

/** Declares pages that share a limit; each is there with and without a slash at its end. */
export function realmPages(ctx: Context, limit: Limit): (method: "GET" | "POST", path: string, serve: Serve) => Page[] {
  const limiter = new RateLimiter(limit);
  return (method, path, serve) =>
    ["", "/"].map((end) => ({
      path: path + end,
      ...(method === "GET" ? {} : { method }),
      serve: async (request) => {
        const { token, cookies } = formToken(request.browser);
        let brand: Brand | undefined;
        try {
          if (ctx.config.rateLimits) limiter.count(request.ip);
          const realm = await findRealm(ctx.db, request.host);
          brand = brandOf(realm);
          if (method === "POST") demandOwnForm(request);
          if (realm.deactivated && wantsJson(request)) throw realmDeactivated();
          const visit = { realm, request, csrfToken: token };
          const answer = realm.deactivated ? organizationClosed(realm) : await serve(ctx, visit);
          const page = "title" in answer ? plainPage(answer, brand) : answer;
          // Cookies of a new session take the place of what was there.
          return page.cookies && page.cookies.length > 0 ? page : { ...page, cookies };
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          return { ...answerRefusal(request, error, brand), cookies };
        }
      },
    }));
}

export const brandOf = (realm: Realm): Brand => ({
  name: realm.name,
  ...(realm.icon_key === null ? {} : { icon: pictureUrl(realm, "icon") }),
});

/** Throws for forms that are not from a page we have shown this browser. */
export function demandOwnForm({ browser, form, header, isCrossSite }: PageRequest): void {
  if (isCrossSite) throw new ApiError("This came from another site.", { status: 403 });
  demandCsrfToken(browser, header(csrfHeader) ?? form.get(csrfField));
}

/** Whether it is a program that asks, not somebody who reads pages. */
export const wantsJson = ({ header }: PageRequest): boolean =>
  header("accept")?.split(",", 1)[0]?.trim() === "application/json";

export const jsonAnswer = (
  body: object,
  { status = 200, cookies = [] as string[], headers = {} } = {},
): PageAnswer => ({
  status,
  type: "application/json; charset=utf-8",
  headers: { ...discreet, ...headers },
  cookies,
  body: JSON.stringify(body),
});

export function answerRefusal(request: PageRequest, error: ApiError, brand?: Brand): PageAnswer {
  const { message, code, status, data, headers } = error;
  if (wantsJson(request)) return jsonAnswer({ result: "error", msg: message, code, ...data }, { status, headers });
  const page = plainPage(refusal(error), brand);
  return { ...page, headers: { ...page.headers, ...headers } };
}
