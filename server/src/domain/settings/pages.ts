import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { revoke } from "../../events/revoke.ts";
import { bigLink, problemText } from "../../http/pages/fields.ts";
import type { PlainPage } from "../../http/pages/plain-page.ts";
import type { Page } from "../../http/router.ts";
import { markup } from "../../platform/markup.ts";
import { realmPages } from "../sign-in/realm-page.ts";
import type { Visit } from "../sign-in/visit.ts";
import { confirmationPath, finishEmailChange } from "./email-change.ts";

const tries = { calls: 30, seconds: 60 };

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

export const settingPages = (ctx: Context): Page[] =>
  realmPages(ctx, tries)("GET", `${confirmationPath}/:token`, confirm);
