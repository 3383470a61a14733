/** Signing in with a passkey instead of a password, in a browser, which an app may have opened. */
import { assertionText, type PasskeyProof } from "@skein/api/passkeys.ts";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { Page, PageRequest, PageResponse } from "../../../http/page.ts";
import { redirect, type PlainPage } from "../../../http/pages/plain-page.ts";
import { authenticateByPasskey, offerPasskey } from "../../people/second-factors/passkey-login.ts";
import { readApp } from "./app-login.ts";
import { askToSignIn } from "./ask-to-sign-in.ts";
import { completeSignIn } from "./complete-sign-in.ts";
import { nextPage } from "./next-page.ts";
import { jsonAnswer, realmPages, wantsJson } from "./realm-page.ts";
import { passkeyPath } from "./views.ts";
import type { Visit } from "./visit.ts";

const limit = { calls: 100, seconds: 60 };

export function passkeyPages(ctx: Context): Page[] {
  const page = realmPages(ctx, limit);
  return [...page("GET", passkeyPath, showOptions), ...page("POST", passkeyPath, logIn)];
}

/** For scripts that sign in without loading a page. */
async function showOptions(ctx: Context, { realm, request }: Visit): Promise<PageResponse> {
  if (!wantsJson(request)) return redirect("/login/");
  const offer = await offerPasskey(ctx, realm, request.origin);
  if (!offer) throw new ApiError("Nobody in this organization signs in with a passkey.");
  return jsonAnswer({ result: "success", msg: "", ...offer });
}

async function logIn(ctx: Context, visit: Visit): Promise<PlainPage | PageResponse> {
  const { realm, request } = visit;
  const app = readApp(request);
  const next = nextPage(request.form.get("next"));
  try {
    const given = readPasskey(request);
    if (!given) throw new ApiError("This passkey was not accepted. Try again", { status: 400 });
    const from = { ip: request.address, id: request.id, origin: request.origin };
    return await completeSignIn(ctx, visit, await authenticateByPasskey(ctx, realm, given, from), { next, app });
  } catch (error) {
    if (!(error instanceof ApiError) || wantsJson(request)) throw error;
    return askToSignIn(ctx, visit, { email: "", passkeyProblem: `${error.message}.`, status: error.status });
  }
}

/** What the page's script has filled in; undefined if it is no response of a passkey. */
export function readPasskey({ form }: Pick<PageRequest, "form">): PasskeyProof {
  const { data: credential } = assertionText.safeParse(form.get("credential"));
  const state = form.get("state");
  return credential && state !== undefined ? { state, credential } : undefined;
}
