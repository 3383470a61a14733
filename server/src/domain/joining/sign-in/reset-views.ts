import { bigLink, checkbox, form } from "../../../http/pages/fields.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import { markup } from "../../../platform/markup.ts";
import { resetPath, type LinkState } from "./password-reset.ts";
import { emailFormPage, fixedEmail, newPasswordField } from "./views.ts";
import type { Visit } from "./visit.ts";

interface MailRequest {
  visit: Visit;
  email?: string;
  problem?: string;
  status?: number;
}

const backToLogin = markup`<a href="/login/">Back to sign-in</a>`;

export const resetRequestPage = (request: MailRequest): PlainPage =>
  emailFormPage({
    ...request,
    title: "Reset your password",
    action: `${resetPath}/`,
    text: markup`Enter the e-mail address of your account at ${request.visit.realm.name}, and we will send you a link to choose a new
password.`,
    submit: "Send link",
    aside: backToLogin,
  });

export const findAccountsPage = (request: MailRequest): PlainPage =>
  emailFormPage({
    ...request,
    title: "Find your accounts",
    action: "/accounts/find/",
    text: markup`Enter your e-mail address, and we will send you a list of the organizations on this server where you have an
account.`,
    submit: "Send list",
    aside: backToLogin,
  });

interface NewPassword {
  visit: Visit;
  token: string;
  email: string;
  keepsKeys?: boolean;
  problem?: string;
  status?: number;
}

/** Browsers send nothing for an unchecked box; the second field states that the form had one. */
const [boxField, boxShown] = ["sign_out_apps", "offers_sign_out_apps"];

/** Whether the form asks to keep apps signed in. */
export const keepsKeys = (sent: { get: (name: string) => string | undefined }): boolean =>
  sent.get(boxShown) !== undefined && sent.get(boxField) === undefined;

export function newPassword(given: NewPassword): PlainPage {
  const { visit, token, email, problem, status = 200 } = given;
  const passwordForm = form({
    action: `${resetPath}/${token}/`,
    csrfToken: visit.csrfToken,
    hidden: { [boxShown]: "1" },
    fields: [
      fixedEmail(email),
      newPasswordField(problem, "New password"),
      checkbox({
        name: boxField,
        label: "Sign out of all apps",
        isChecked: !given.keepsKeys,
        hint: "Revokes the API keys used by your phone, terminal and scripts. Uncheck this only if you are sure that nobody else has one.",
      }),
    ],
    submit: "Set password",
  });
  return {
    status,
    title: "Choose a new password",
    body: markup`<p>This is for your account at ${visit.realm.name}. All browsers will be signed out.</p>
${passwordForm}`,
  };
}

export const passwordSet = (email: string): PlainPage => ({
  title: "Password changed",
  body: markup`<p>You can now sign in as <strong>${email}</strong> with your new password.</p>
${bigLink(`/login/?email=${encodeURIComponent(email)}`, "Sign in")}`,
});

const reasons: Record<LinkState, string> = {
  used: "It has already been used.",
  revoked: "Your password or e-mail address has changed since it was sent.",
  expired: "It has expired: such links work for 24 hours.",
  unknown: "Part of it may be missing. Open it from the mail again, or copy the whole link.",
};

export const closedLink = (state: LinkState): PlainPage => ({
  status: state === "unknown" ? 404 : 410,
  title: "This link does not work",
  body: markup`<p>${reasons[state]}</p>
${bigLink(`${resetPath}/`, "Request a new link")}`,
});
