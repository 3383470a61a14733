import { bigLink, form } from "../../http/pages/fields.ts";
import type { PlainPage } from "../../http/pages/plain-page.ts";
import { markup } from "../../platform/markup.ts";
import { resetPath, type LinkState } from "./password-reset.ts";
import { askForMail, fixedEmail, newPasswordField } from "./views.ts";
import type { Visit } from "./visit.ts";

interface Asked {
  visit: Visit;
  email?: string;
  problem?: string;
  status?: number;
}

const backToLogin = markup`<a href="/login/">Back to signing in</a>`;

export const askForReset = (asked: Asked): PlainPage =>
  askForMail({
    ...asked,
    title: "A new password",
    action: `${resetPath}/`,
    text: markup`Tell us your address at ${asked.visit.realm.name}, and we mail you a link to choose a new password.`,
    submit: "Mail me a link",
    aside: backToLogin,
  });

export const askForAccounts = (asked: Asked): PlainPage =>
  askForMail({
    ...asked,
    title: "Find your accounts",
    action: "/accounts/find/",
    text: markup`Tell us your address, and we mail you a list of the organizations here that have an account for it.`,
    submit: "Mail me the list",
    aside: backToLogin,
  });

interface NewPassword {
  visit: Visit;
  token: string;
  email: string;
  problem?: string;
  status?: number;
}

export function newPassword({ visit, token, email, problem, status = 200 }: NewPassword): PlainPage {
  const asked = form({
    action: `${resetPath}/${token}/`,
    csrfToken: visit.csrfToken,
    fields: [fixedEmail(email), newPasswordField(problem, "New password")],
    submit: "Set the password",
  });
  return {
    status,
    title: "Choose a new password",
    body: markup`<p>For your account at ${visit.realm.name}. Browsers that are signed in will have to sign in again.</p>
${asked}`,
  };
}

export const passwordSet = (email: string): PlainPage => ({
  title: "Your password is set",
  body: markup`<p>From now on sign in as <strong>${email}</strong> with your new password.</p>
${bigLink(`/login/?email=${encodeURIComponent(email)}`, "Sign in")}`,
});

const reasons: Record<LinkState, string> = {
  used: "It has been used already.",
  revoked: "The password or the address has been changed since it was sent.",
  expired: "It could be used for a day, which is over.",
  unknown: "Perhaps a part of it is missing: open it from the mail once more, or copy all of it.",
};

export const closedLink = (state: LinkState): PlainPage => ({
  status: state === "unknown" ? 404 : 410,
  title: "This link cannot be used",
  body: markup`<p>${reasons[state]}</p>
${bigLink(`${resetPath}/`, "Ask for a new link")}`,
});
