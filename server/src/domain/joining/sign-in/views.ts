/** The pages of signing in. */
import { passwordMaxLength, passwordMinLength } from "@skein/api/users.ts";
import type { ApiError } from "../../../errors.ts";
import { bigLink, field, form, problemText } from "../../../http/pages/fields.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import { markup, type Html } from "../../../platform/markup.ts";
import { acceptsPasswords } from "../../people/auth/sign-in-methods.ts";
import { isDirectory } from "../identity-providers/methods.ts";
import { appParameters, type WaitingApp } from "./app-login.ts";
import { appScheme } from "./mobile-login.ts";
import { passkeyForm, passkeyScript, type PasskeyOffer } from "./passkey-view.ts";
import type { Visit } from "./visit.ts";
import { waitingTime } from "./waiting-time.ts";

const maxEmailLength = 254;
/** Where forms with a passkey are sent. */
export const passkeyPath = "/accounts/login/passkey";

interface ExternalMethod {
  name: string;
  display_name: string;
  login_url: string;
}

export interface LoginForm {
  visit: Visit;
  next: string;
  app: WaitingApp | undefined;
  /** Other ways to sign in. */
  others: readonly ExternalMethod[];
  email: string;
  problem?: string;
  /** Undefined if nobody here signs in with a passkey. */
  passkey: PasskeyOffer | undefined;
  passkeyProblem?: string;
  status?: number;
}

export function loginForm(given: LoginForm): PlainPage {
  const { visit, next, app, others, email, problem, passkey, passkeyProblem, status = 200 } = given;
  const { realm, csrfToken } = visit;
  const hidden = { next: next === "/" ? undefined : next, ...appParameters(app) };
  const hasDirectory = others.some(isDirectory);
  const hasOwnPasswords = acceptsPasswords(realm);
  const hasPasswords = hasOwnPasswords || hasDirectory;
  const forgotten = hasOwnPasswords ? markup`<a href="/accounts/password/reset/">Forgot your password?</a>` : undefined;
  const named = { name: "username", value: email, isFirst: email === "" };
  // Without an action the form goes to the page's own URL, and browsers keep its fragment through the redirect.
  const loginFields = form({
    csrfToken,
    hidden,
    fields: [
      hasDirectory ? userNameField(named) : emailField(named),
      field({
        name: "password",
        label: "Password",
        type: "password",
        autocomplete: "current-password",
        maxLength: 1000,
        isFirst: email !== "",
        problem,
        ...(forgotten ? { aside: forgotten } : {}),
      }),
    ],
    submit: "Sign in",
  });
  return {
    status,
    title: "Sign in",
    ...(app?.kind === "mobile" ? { formTarget: appScheme } : {}),
    ...(passkey ? { script: passkeyScript } : {}),
    body: markup`${app && markup`<p>After signing in, you will return to the app.</p>`}
${problemText(passkeyProblem)}
${hasPasswords ? loginFields : problem === undefined ? undefined : problemText(problem)}
${passkey && passkeyForm({ action: `${passkeyPath}/`, csrfToken, hidden, passkey, submit: "Sign in with a passkey" })}
${others.map((method) => bigLink(urlOf(method, next, app), `Sign in with ${method.display_name}`))}
${hasOwnPasswords ? markup`<p class="aside">${newHere(realm)}</p>` : undefined}`,
  };
}

interface CodeForm {
  visit: Visit;
  app: WaitingApp | undefined;
  /** Whether the account has an authenticator app. */
  hasApp: boolean;
  /** If the account has passkeys. */
  passkey: PasskeyOffer | undefined;
  problem?: string;
  status?: number;
}

/** The second step, for accounts with a second factor. */
export const codeForm = ({ visit, app, hasApp, passkey, problem, status = 200 }: CodeForm): PlainPage => ({
  status,
  title: hasApp ? "Enter your code" : "Use your passkey",
  ...(app?.kind === "mobile" ? { formTarget: appScheme } : {}),
  ...(passkey ? { script: passkeyScript } : {}),
  body: markup`${passkey && passkeyForm({ csrfToken: visit.csrfToken, passkey, submit: "Use a passkey" })}
${form({
  csrfToken: visit.csrfToken,
  fields: [
    field({
      name: "second_factor_code",
      label: "Code",
      autocomplete: "one-time-code",
      maxLength: 100,
      isFirst: hasApp,
      hint: hasApp
        ? "The six digits that your authenticator app shows, or one of your recovery codes."
        : "One of your recovery codes, if your passkey is not at hand.",
      problem,
    }),
  ],
  submit: "Sign in",
})}
<p class="aside">Lost both? Ask an administrator of ${visit.realm.name} to reset your second factor. <a href="/login/">Start over</a></p>`,
});

function urlOf({ login_url }: ExternalMethod, next: string, app: WaitingApp | undefined): string {
  const query = new URLSearchParams({ ...(next === "/" ? {} : { next }), ...appParameters(app) }).toString();
  return query === "" ? login_url : `${login_url}?${query}`;
}

/** Asks whether to sign in to `account`; the form is sent to `action`. */
export const tokenLogin = (visit: Visit, action: string, account: { delivery_email: string }): PlainPage => ({
  title: "Sign in",
  body: markup`<p>Continue only if this is your account and you have just signed in to it.</p>
${form({
  action,
  csrfToken: visit.csrfToken,
  fields: [fixedEmail(account.delivery_email)],
  submit: `Continue to ${visit.realm.name}`,
})}
<p class="aside"><a href="/">Cancel</a></p>`,
});

export const tokenUsed: PlainPage = {
  status: 410,
  title: "This sign-in link has expired",
  body: markup`<p>It works only once, within a minute. Please sign in again.</p>
${bigLink("/login/", "Sign in")}`,
};

const newHere = (realm: Visit["realm"]): Html =>
  realm.invite_required
    ? markup`New here? You need an invitation. Ask a member of ${realm.name} for one.`
    : markup`New here? <a href="/register/">Create an account</a>`;

interface EmailField {
  name?: string;
  value?: string;
  isFirst?: boolean;
  hint?: string;
  problem?: string | undefined;
}

export const emailField = ({ name = "email", ...rest }: EmailField): Html =>
  field({ name, label: "E-mail address", type: "email", autocomplete: "username", maxLength: maxEmailLength, ...rest });

const userNameField = (given: Pick<EmailField, "value" | "isFirst"> & { name: string }): Html =>
  field({ label: "E-mail address or user name", autocomplete: "username", maxLength: maxEmailLength, ...given });

export const newPasswordField = (problem: string | undefined, label = "Password"): Html =>
  field({
    name: "password",
    label,
    type: "password",
    autocomplete: "new-password",
    minLength: passwordMinLength,
    maxLength: passwordMaxLength,
    hint: `At least ${passwordMinLength} characters, and hard to guess.`,
    problem,
  });

export const fixedEmail = (email: string): Html =>
  field({
    name: "email",
    label: "E-mail address",
    type: "email",
    value: email,
    autocomplete: "username",
    maxLength: maxEmailLength,
    isFixed: true,
  });

interface AskForMail {
  visit: Visit;
  title: string;
  action: string;
  /** Explains what the mail is for. */
  text: Html;
  submit: string;
  /** A link at the end of the page. */
  aside?: Html;
  email?: string;
  problem?: string | undefined;
  status?: number;
}

/** A form that asks for the address to send a mail to. */
export function emailFormPage({ visit, title, action, text, submit, aside, ...given }: AskForMail): PlainPage {
  const fields = [emailField({ value: given.email ?? "", isFirst: true, problem: given.problem })];
  const addressForm = form({ action, csrfToken: visit.csrfToken, fields, submit });
  return {
    status: given.status ?? 200,
    title,
    body: markup`<p>${text}</p>
${addressForm}
${aside && markup`<p class="aside">${aside}</p>`}`,
  };
}

/** Always the same page, so that it reveals nothing about accounts: only the mail does. */
export const checkYourMail = (email: string, purpose: string): PlainPage => ({
  title: "Check your e-mail",
  body: markup`<p>We have sent a mail to <strong>${email}</strong>. ${purpose}</p>
<p>If it does not arrive within a few minutes, check your spam folder, or go back and check the address.</p>`,
});

export const organizationClosed = (realm: { name: string }): PlainPage => ({
  status: 410,
  title: `${realm.name} has been deactivated`,
  body: markup`<p>Nobody can sign in or join at the moment. If you need access, contact the organization's owners.</p>`,
});

export function errorPage(error: ApiError): PlainPage {
  const wait = waitingTime(error);
  const { status, code } = error;
  if (wait !== undefined)
    return {
      status,
      title: "Too many requests",
      body: markup`<p>There were too many requests from your network. Try again ${wait}.</p>`,
    };
  if (code === "NONEXISTENT_SUBDOMAIN")
    return {
      status,
      title: "No organization at this address",
      body: markup`<p>Check the address for typos. If you have just installed this server, open the link that it printed when it
started, or <a href="/setup/">set up its first organization</a>.</p>`,
    };
  if (code === "CSRF_FAILED")
    return {
      status,
      title: "This page has expired",
      body: markup`<p>Nothing was changed. Go back, reload the page and try again. If that does not help, check that your browser
allows cookies for this site.</p>
${bigLink("/login/", "Sign in")}`,
    };
  return { status, title: "Something went wrong", body: markup`${problemText(error.message)}` };
}
