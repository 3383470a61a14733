/** Signing in with the name and password of an organization's LDAP directory. */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { field, form } from "../../../http/pages/fields.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import type { Page, PageResponse } from "../../../http/page.ts";
import { networkOf } from "../../../http/rate-limit.ts";
import { markup } from "../../../platform/markup.ts";
import { authenticateByPassword } from "../../people/auth/password-login.ts";
import { accessSignInProvider } from "../identity-providers/provider-sign-in.ts";
import { loginPath, signupPath, type ProviderRow } from "../identity-providers/queries.ts";
import { providerFailed } from "../identity-providers/views.ts";
import { appParameters, readApp } from "../sign-in/app-login.ts";
import { continueAfterPassword } from "../sign-in/code-pages.ts";
import { appScheme } from "../sign-in/mobile-login.ts";
import { nextPage } from "../sign-in/next-page.ts";
import { realmPages, wantsJson } from "../sign-in/realm-page.ts";
import type { Visit } from "../sign-in/visit.ts";
import { waitingTime } from "../sign-in/waiting-time.ts";
import { directoryUnavailable, keeperOf, RefusedPerson } from "./keeper.ts";

const limit = { calls: 100, seconds: 60 };

export function ldapPages(ctx: Context): Page[] {
  const page = realmPages(ctx, limit);
  return [loginPath, signupPath].flatMap((pathOf) => {
    const path = pathOf({ kind: "ldap", key: ":provider" });
    return [...page("GET", path, show), ...page("POST", path, logIn)];
  });
}

async function show(ctx: Context, visit: Visit): Promise<PlainPage> {
  return loginForm(visit, await accessSignInProvider(ctx, visit, "ldap"), { username: "" });
}

interface Shown {
  username: string;
  problem?: string;
  status?: number;
}

function loginForm(visit: Visit, { name }: ProviderRow, { username, problem, status = 200 }: Shown): PlainPage {
  const next = nextPage(visit.request.form.get("next"));
  const app = readApp(visit.request);
  return {
    status,
    title: `Sign in with ${name}`,
    ...(app?.kind === "mobile" ? { formTarget: appScheme } : {}),
    body: markup`${app && markup`<p>After signing in, you will return to the app.</p>`}
${form({
  csrfToken: visit.csrfToken,
  hidden: { next: next === "/" ? undefined : next, ...appParameters(app) },
  fields: [
    field({
      name: "username",
      label: "User name",
      value: username,
      autocomplete: "username",
      maxLength: 254,
      isFirst: username === "",
    }),
    field({
      name: "password",
      label: "Password",
      type: "password",
      autocomplete: "current-password",
      maxLength: 1000,
      isFirst: username !== "",
      problem,
    }),
  ],
  submit: "Sign in",
})}
<p class="aside"><a href="/login/">Sign in another way</a></p>`,
  };
}

async function logIn(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const { realm, request } = visit;
  const row = await accessSignInProvider(ctx, visit, "ldap");
  const username = request.form.get("username")?.trim() ?? "";
  const from = { ip: request.address, id: request.id };
  const origin = { network: networkOf(request.ip), browser: request.browser, request: from };
  const keeper = keeperOf(ctx, realm, [row], { isOnly: true, from });
  try {
    const password = request.form.get("password") ?? "";
    const account = await authenticateByPassword(ctx, realm, username, password, origin, keeper);
    const destination = { next: nextPage(request.form.get("next")), app: readApp(request) };
    return await continueAfterPassword(ctx, visit, account, destination);
  } catch (error) {
    if (!(error instanceof ApiError) || wantsJson(request)) throw error;
    if (error instanceof RefusedPerson) return error.page;
    if (error.code === directoryUnavailable().code) return providerFailed;
    return loginForm(visit, row, { username, problem: problemText(error), status: error.status });
  }
}

function problemText(error: ApiError): string {
  if (error.code === "AUTHENTICATION_FAILED") return "Wrong user name or password.";
  const wait = waitingTime(error);
  return wait === undefined ? `${error.message}.` : `Too many attempts. Try again ${wait}.`;
}
