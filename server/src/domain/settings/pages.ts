import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { revoke } from "../../events/revoke.ts";
import { bigLink, form, problemText } from "../../http/pages/fields.ts";
import type { PlainPage } from "../../http/pages/plain-page.ts";
import type { Page } from "../../http/router.ts";
import { markup } from "../../platform/markup.ts";
import { realmPages } from "../sign-in/realm-page.ts";
import { fixedEmail } from "../sign-in/views.ts";
import type { Visit } from "../sign-in/visit.ts";
import { confirmationPath, finishEmailChange, peekEmailChange } from "./email-change.ts";

const tries = { calls: 30, seconds: 60 };

/** Programs open links in mail, too; what changes something is the form. */
async function show(ctx: Context, visit: Visit): Promise<PlainPage> {
  const token = visit.request.params["token"] ?? "";
  const confirmation = await peekEmailChange(ctx.db, visit.realm, token);
  return confirmation.state === "open"
    ? asked(visit, token, confirmation.data.new_email)
    : unusable(confirmation.state);
}

async function confirm(ctx: Context, { realm, request }: Visit): Promise<PlainPage> {
  const token = request.params["token"] ?? "";
  try {
    // The address so far opens nothing any more.
    const confirmation = await revoke(ctx, "confirm new e-mail address", (tx) => finishEmailChange(tx, realm, token));
    return confirmation.state === "open"
      ? confirmed(realm.name, confirmation.data.new_email)
      : unusable(confirmation.state);
  } catch (error) {
    if (error instanceof ApiError) return refused(error.message);
    throw error;
  }
}

const asked = ({ realm, csrfToken }: Visit, token: string, email: string): PlainPage => ({
  title: "Confirm your new address",
  body: markup`<p>Your account of ${realm.name} will go by this address, and no longer by the one it has now.</p>
${form({ action: `${confirmationPath}/${token}/`, csrfToken, fields: [fixedEmail(email)], submit: "Use this address" })}`,
});

const confirmed = (realm: string, email: string): PlainPage => ({
  title: "Address confirmed",
  body: markup`<p>Your account of ${realm} goes by <strong>${email}</strong> from now on. Sign in with this address.</p>
${bigLink("/", `Open ${realm}`)}`,
});

const reasons = {
  used: "It has been used already.",
  revoked: "A newer link was sent, or the account has changed meanwhile.",
  expired: "It was valid for a day, which is over.",
  unknown: "It may have been cut short on its way to you.",
};

const unusable = (state: keyof typeof reasons): PlainPage => ({
  status: 404,
  title: "This link cannot be used",
  body: markup`<p>${reasons[state]}</p>
<p>To change your address, ask for a new link in your settings.</p>`,
});

const refused = (reason: string): PlainPage => ({
  status: 400,
  title: "The address was not changed",
  body: markup`${problemText(reason)}`,
});

export function settingPages(ctx: Context): Page[] {
  const page = realmPages(ctx, tries);
  const path = `${confirmationPath}/:token`;
  return [...page("GET", path, show), ...page("POST", path, confirm)];
}
