/** The page the first organization is made on, by whoever runs the server. */
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { formToken } from "../../http/browser-session.ts";
import { leadTo, plainPage } from "../../http/pages/plain-page.ts";
import { RateLimiter } from "../../http/rate-limit.ts";
import type { Page, PageAnswer, PageRequest } from "../../http/router.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { checkPassword, hashPassword } from "../auth/passwords.ts";
import { answerRefusal, demandOwnForm } from "../sign-in/realm-page.ts";
import { signIn } from "../sign-in/sign-in.ts";
import { isEmail } from "../users/email.ts";
import { checkFullName } from "../users/full-name.ts";
import { makeOrganization } from "./make-organization.ts";
import { checkRealmName } from "./realm-name.ts";
import { isSetUp, isSetupToken, setupPath, takeSetup } from "./token.ts";
import { setupForm, type SetupField, type SetupFields, type SetupProblem } from "./views.ts";

const tries = { calls: 30, seconds: 60 };

export function setupPages(ctx: Context): Page[] {
  const limiter = new RateLimiter(tries);
  const page = (method: "GET" | "POST", serve: (request: PageRequest) => Promise<PageAnswer>): Page[] =>
    ["", "/"].map((end) => ({
      path: setupPath + end,
      ...(method === "GET" ? {} : { method }),
      serve: async (request) => {
        try {
          if (ctx.config.rateLimits) limiter.count(request.ip);
          if (method === "POST") demandOwnForm(request);
          return (await isSetUp(ctx.db)) ? leadTo("/login/") : await serve(request);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          return answerRefusal(request, error);
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

function show(request: PageRequest, problem?: SetupProblem): PageAnswer {
  const { token: csrfToken, cookies } = formToken(request.browser);
  return { ...plainPage(setupForm({ fields: readFields(request), csrfToken, problem })), cookies };
}

async function setUp(ctx: Context, request: PageRequest): Promise<PageAnswer> {
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
    checkPassword(password, [email, full_name]);
    const owner = { email, full_name, password_hash: await hashPassword(password) };
    checking = "token";
    const user = await transaction(ctx.db, "make the first organization", async (tx) => {
      if (!(await takeSetup(tx, fields.token))) throw wrongToken();
      // It answers under every name that no other organization has.
      return makeOrganization(tx, ctx, { string_id: "", name }, owner);
    });
    return leadTo("/", await signIn(ctx, request, user));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return show(request, { field: checking, text: error.message });
  }
}

const wrongToken = () => new ApiError("This is not what the server printed. Start it again for a new one.");
