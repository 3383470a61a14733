/** The sign-in page, with every way to sign in that the organization offers. It leads to where the request wanted to go. */
import type { Context } from "../../../context.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import { offerPasskey } from "../../people/second-factors/passkey-login.ts";
import { externalMethods } from "../identity-providers/methods.ts";
import { readApp } from "./app-login.ts";
import { nextPage } from "./next-page.ts";
import { loginForm, type LoginForm } from "./views.ts";
import type { Visit } from "./visit.ts";

type Shown = Pick<LoginForm, "email" | "problem" | "passkeyProblem" | "status">;

export async function askToSignIn(ctx: Context, visit: Visit, shown: Shown): Promise<PlainPage> {
  const { realm, request } = visit;
  const next = nextPage(request.form.get("next"));
  const others = await externalMethods(ctx, realm);
  const passkey = await offerPasskey(ctx, realm, request.origin);
  return loginForm({ visit, next, app: readApp(request), others, passkey, ...shown });
}
