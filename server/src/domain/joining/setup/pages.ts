/** The page on which the operator creates the server's first organization. */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { formToken } from "../../../http/browser-session.ts";
import { redirect, plainPage } from "../../../http/pages/plain-page.ts";
import { RateLimiter } from "../../../http/rate-limit.ts";
import type { Page, PageResponse, PageRequest } from "../../../http/page.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { checkPassword, hashPassword } from "../../people/auth/passwords.ts";
import { demandOwnForm, errorAnswer } from "../sign-in/realm-page.ts";
import { signIn } from "../sign-in/sign-in.ts";
import { isEmail } from "../../base/email-address.ts";
import { checkFullName } from "../../people/users/full-name.ts";
import { createWithOwner } from "./create-with-owner.ts";
import { checkRealmName } from "../../organization/realm/name.ts";
import { isSetUp, isSetupToken, setupPath, takeSetupToken } from "./token.ts";
import { setupForm, type SetupField, type SetupFields, type SetupProblem } from "./views.ts";

const tries = { calls: 30, seconds: 60 };

export function setupPages(ctx: Context): Page[] {
  const limiter = new RateLimiter(tries);
  const page = (method: "GET" | "POST", serve: (request: PageRequest) => Promise<PageResponse>): Page[] =>
    ["", "/"].map((end) => ({
      path: setupPath + end,
      ...(method === "GET" ? {} : { method }),
      serve: async (request) => {
        try {
          if (ctx.config.rateLimits) limiter.count(request.ip);
          if (method === "POST") demandOwnForm(request);
          return (await isSetUp(ctx.db)) ? redirect("/login/") : await serve(request);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          return errorAnswer(request, error);
        }
      },
    }));
  return [...page("GET", async (request) => show(request)), ...page("POST", (request) => setUp(ctx, request))];
}

const readFields = ({ form }: PageRequest): SetupFields => ({
  token: form.get("token") ?? "",
  organization: form.get("organization") ?? "",
  full_name: form.get("full_name") ?? "",
  email: form.get("email") ?? "",
});

function show(request: PageRequest, problem?: SetupProblem): PageResponse {
  const { token: csrfToken, cookies } = formToken(request.browser);
  return { ...plainPage(setupForm({ fields: readFields(request), csrfToken, problem })), cookies };
}

async function setUp(ctx: Context, request: PageRequest): Promise<PageResponse> {
  const fields = readFields(request);
  const password = request.form.get("password") ?? "";
  let checking: SetupField = "token";
  try {
    if (!(await isSetupToken(ctx.db, fields.token))) throw wrongToken();
    checking = "organization";
    const name = checkRealmName(fields.organization);
    checking = "full_name";
    const full_name = checkFullName(fields.full_name);
    checking = "email";
    const email = fields.email.trim();
    if (!isEmail(email)) throw new ApiError("Invalid address.");
    checking = "password";
    await checkPassword(password, [email, full_name]);
    const owner = { email, full_name, password_hash: await hashPassword(password) };
    checking = "token";
    const user = await transaction(ctx.db, "create the first organization", async (tx) => {
      if (!(await takeSetupToken(tx, fields.token))) throw wrongToken();
      // It is served under every host name that no other organization has.
      return createWithOwner(tx, ctx, { string_id: "", name }, owner);
    });
    return redirect("/", await signIn(ctx, request, user));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return show(request, { field: checking, text: error.message });
  }
}

const wrongToken = () =>
  new ApiError("This is not the token that the server printed. Restart the server to get a new one.");
