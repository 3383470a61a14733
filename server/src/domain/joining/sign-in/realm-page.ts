/**
 * Pages of an organization for people who are not signed in yet. All of them are rate limited by IP address, accept forms
 * only from our own pages, carry the organization's branding, and report errors as a page, or as JSON to clients that ask
 * for it.
 */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { changeSession, csrfField, csrfHeader, assertCsrfToken, formToken } from "../../../http/browser-session.ts";
import { privateHeaders, plainPage, type Brand, type PlainPage } from "../../../http/pages/plain-page.ts";
import { RateLimiter, type Limit } from "../../../http/rate-limit.ts";
import type { Page, PageResponse, PageRequest } from "../../../http/page.ts";
import type { Realm } from "../../../identity/account.ts";
import { realmDeactivated } from "../../people/auth/password-login.ts";
import { findRealm } from "../../organization/realm/find-realm.ts";
import { pictureUrl } from "../../organization/realm/icon.ts";
import { errorPage, organizationClosed } from "./views.ts";
import type { Visit } from "./visit.ts";

type Serve = (ctx: Context, visit: Visit) => Promise<PlainPage | PageResponse>;

interface PageOptions {
  /** For a GET that completes a sign-in begun in this browser. No other GET may change the session: any site can cause one. */
  finishesSignIn?: boolean;
  /**
   * For a POST that a page of an identity provider makes the browser send, without our cookies. It must carry a proof of its
   * own, and must not change the session.
   */
  isFromProvider?: boolean;
}

export type DeclarePage = (method: "GET" | "POST", path: string, serve: Serve, options?: PageOptions) => Page[];

/** Declares pages that share a rate limit; each is served with and without a trailing slash. */
export function realmPages(ctx: Context, limit: Limit): DeclarePage {
  const limiter = new RateLimiter(limit);
  return (method, path, serve, { finishesSignIn = false, isFromProvider = false } = {}) =>
    ["", "/"].map((end) => ({
      path: path + end,
      ...(method === "GET" ? {} : { method }),
      serve: async (request) => {
        const { token, cookies: formCookies } = formToken(request.browser);
        // Without its cookies a browser cannot be told from a new one, whose cookies would replace them.
        const cookies = isFromProvider ? [] : formCookies;
        let brand: Brand | undefined;
        try {
          if (ctx.config.rateLimits) limiter.count(request.ip);
          const realm = await findRealm(ctx.db, request.host);
          brand = brandOf(realm);
          if (method === "POST" && !isFromProvider) demandOwnForm(request);
          else if (finishesSignIn) demandNavigation(request);
          if (realm.deactivated && wantsJson(request)) throw realmDeactivated();
          const visit = { realm, request, csrfToken: token };
          const answer = realm.deactivated ? organizationClosed(realm) : await serve(ctx, visit);
          const page = "title" in answer ? plainPage(answer, brand) : answer;
          const mayChange = isFromProvider ? false : method === "POST" || finishesSignIn;
          if (!mayChange && changeSession(page.cookies ?? []))
            throw new Error(`${method} ${path} must not change the session`);
          // The cookies of a new session replace the form token's.
          return page.cookies && page.cookies.length > 0 ? page : { ...page, cookies };
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          return { ...errorAnswer(request, error, brand), cookies };
        }
      },
    }));
}

export const brandOf = (realm: Realm): Brand => ({
  name: realm.name,
  ...(realm.icon_key === null ? {} : { icon: pictureUrl(realm, "icon") }),
});

/** Throws if the form does not come from a page that we served to this browser. */
export function demandOwnForm({ browser, form, header, isCrossSite }: PageRequest): void {
  if (isCrossSite) throw new ApiError("This form was sent from another site.", { status: 403 });
  assertCsrfToken(browser, header(csrfHeader) ?? form.get(csrfField));
}

/** Throws if a page loads this as a subresource, such as an image or a frame, provided that the browser says so. */
function demandNavigation({ header }: PageRequest): void {
  const destination = header("sec-fetch-dest");
  if (destination !== undefined && destination !== "document")
    throw new ApiError("This page cannot be embedded. Open it in its own window.", { status: 403 });
}

/** Whether the client is a program that expects JSON rather than a page. */
export const wantsJson = ({ header }: PageRequest): boolean =>
  header("accept")?.split(",", 1)[0]?.trim() === "application/json";

export const jsonAnswer = (
  body: object,
  { status = 200, cookies = [] as string[], headers = {} } = {},
): PageResponse => ({
  status,
  type: "application/json; charset=utf-8",
  headers: { ...privateHeaders, ...headers },
  cookies,
  body: JSON.stringify(body),
});

export function errorAnswer(request: PageRequest, error: ApiError, brand?: Brand): PageResponse {
  const { message, code, status, data, headers } = error;
  if (wantsJson(request)) return jsonAnswer({ result: "error", msg: message, code, ...data }, { status, headers });
  const page = plainPage(errorPage(error), brand);
  return { ...page, headers: { ...page.headers, ...headers } };
}
