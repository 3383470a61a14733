import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { bigLink, form, problemText } from "../../../http/pages/fields.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import type { Page } from "../../../http/page.ts";
import { markup } from "../../../platform/markup.ts";
import { realmPages } from "../sign-in/realm-page.ts";
import { fixedEmail } from "../sign-in/views.ts";
import type { Visit } from "../sign-in/visit.ts";
import { confirmationPath, finishEmailChange, peekEmailChange } from "../../people/settings/email-change.ts";

const rateLimit = { calls: 30, seconds: 60 };

/** Mail scanners open links, too, so only the form changes anything. */
async function show(ctx: Context, visit: Visit): Promise<PlainPage> {
  const token = visit.request.params["token"] ?? "";
  const confirmation = await peekEmailChange(ctx.db, visit.realm, token);
  return confirmation.state === "open"
    ? confirmPage(visit, token, confirmation.data.new_email)
    : unusableLinkPage(confirmation.state);
}

async function confirm(ctx: Context, { realm, request }: Visit): Promise<PlainPage> {
  const token = request.params["token"] ?? "";
  try {
    // The old address can no longer be used to sign in.
    const confirmation = await revoke(ctx, "confirm new e-mail address", (tx) => finishEmailChange(tx, realm, token));
    return confirmation.state === "open"
      ? changedPage(realm.name, confirmation.data.new_email)
      : unusableLinkPage(confirmation.state);
  } catch (error) {
    if (error instanceof ApiError) return notChangedPage(error.message);
    throw error;
  }
}

const confirmPage = ({ realm, csrfToken }: Visit, token: string, email: string): PlainPage => ({
  title: "Confirm your new e-mail address",
  body: markup`<p>Your account at ${realm.name} will use this address instead of the current one.</p>
${form({ action: `${confirmationPath}/${token}/`, csrfToken, fields: [fixedEmail(email)], submit: "Use this address" })}`,
});

const changedPage = (realm: string, email: string): PlainPage => ({
  title: "E-mail address changed",
  body: markup`<p>Your account at ${realm} now uses <strong>${email}</strong>. Sign in with this address from now on.</p>
${bigLink("/", `Open ${realm}`)}`,
});

const reasons = {
  used: "It has already been used.",
  revoked: "A newer link was sent, or your account has changed since.",
  expired: "It has expired: such links work for 24 hours.",
  unknown: "Part of it may be missing. Open it from the mail again, or copy the whole link.",
};

const unusableLinkPage = (state: keyof typeof reasons): PlainPage => ({
  status: 404,
  title: "This link does not work",
  body: markup`<p>${reasons[state]}</p>
<p>To change your e-mail address, request a new link in your settings.</p>`,
});

const notChangedPage = (reason: string): PlainPage => ({
  status: 400,
  title: "E-mail address not changed",
  body: markup`${problemText(reason)}`,
});

export function emailChangePages(ctx: Context): Page[] {
  const page = realmPages(ctx, rateLimit);
  const path = `${confirmationPath}/:token`;
  return [...page("GET", path, show), ...page("POST", path, confirm)];
}
