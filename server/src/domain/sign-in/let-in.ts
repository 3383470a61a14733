/** What somebody gets who has shown who they are: a session of this browser, or what the app needs that has opened it. */
import type { Context } from "../../context.ts";
import { leadTo, type PlainPage } from "../../http/pages/plain-page.ts";
import type { PageAnswer } from "../../http/router.ts";
import type { ProvenAccount } from "../auth/password-login.ts";
import type { WaitingApp } from "./app-login.ts";
import { copyToApp } from "./app-views.ts";
import { sealedLoginToken } from "./desktop-login.ts";
import { mobileAddress } from "./mobile-login.ts";
import { jsonAnswer, wantsJson } from "./realm-page.ts";
import { signIn } from "./sign-in.ts";
import type { Visit } from "./visit.ts";

export interface Destination {
  /** A page of ours. */
  next: string;
  app: WaitingApp | undefined;
}

export async function letIn(
  ctx: Context,
  visit: Visit,
  account: ProvenAccount,
  { next, app }: Destination,
): Promise<PlainPage | PageAnswer> {
  if (app?.kind === "mobile") return leadTo(await mobileAddress(ctx, visit, account, app.pad));
  if (app?.kind === "desktop") return copyToApp(await sealedLoginToken(ctx, account, app.pad));
  const { request } = visit;
  const cookies = await signIn(ctx, request, account);
  return wantsJson(request) ? jsonAnswer({ result: "success", msg: "", next }, { cookies }) : leadTo(next, cookies);
}
