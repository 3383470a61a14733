/** The end of every sign-in: a session for this browser, or credentials for the app that opened it. */
import type { Context } from "../../../context.ts";
import { redirect, type PlainPage } from "../../../http/pages/plain-page.ts";
import type { PageResponse } from "../../../http/page.ts";
import type { AuthenticatedAccount } from "../../people/auth/password-login.ts";
import type { WaitingApp } from "./app-login.ts";
import { copyToApp } from "./app-views.ts";
import { sealedLoginToken } from "./desktop-login.ts";
import { mobileAddress } from "./mobile-login.ts";
import { jsonAnswer, wantsJson } from "./realm-page.ts";
import { signIn } from "./sign-in.ts";
import type { Visit } from "./visit.ts";

export interface Destination {
  /** A path on this server. */
  next: string;
  app: WaitingApp | undefined;
}

export async function completeSignIn(
  ctx: Context,
  visit: Visit,
  account: AuthenticatedAccount,
  { next, app }: Destination,
): Promise<PlainPage | PageResponse> {
  if (app?.kind === "mobile") return redirect(await mobileAddress(ctx, visit, account, app.pad));
  if (app?.kind === "desktop") return copyToApp(await sealedLoginToken(ctx, account, app.pad));
  const { request } = visit;
  const cookies = await signIn(ctx, request, account);
  return wantsJson(request) ? jsonAnswer({ result: "success", msg: "", next }, { cookies }) : redirect(next, cookies);
}
