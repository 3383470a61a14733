/** How the pages of signing in look. */
import { passwordMaxLength, passwordMinLength } from "@skein/api/users.ts";
import type { ApiError } from "../../errors.ts";
import { bigLink, field, form, problemText } from "../../http/pages/fields.ts";
import type { PlainPage } from "../../http/pages/plain-page.ts";
import { markup, type Html } from "../../platform/markup.ts";
import { appParameters, type WaitingApp } from "./app-login.ts";
import { appScheme } from "./mobile-login.ts";
import type { Visit } from "./visit.ts";
import { waitingTime } from "./waiting-time.ts";

const maxEmailLength = 254;

interface OtherWay {
  display_name: string;
  login_url: string;
}

interface LoginForm {
  visit: Visit;
  next: string;
  app: WaitingApp | undefined;
  /** Other ways of signing in. */
  others: readonly OtherWay[];
  email: string;
  problem?: string;
  status?: number;
}

export function loginForm({ visit, next, app, others, email, problem, status = 200 }: LoginForm): PlainPage {
  const { realm, csrfToken } = visit;
  const forgotten = markup`<a href="/accounts/password/reset/">Forgot your password?</a>`;
  // Sent to where it stands: what stands behind the # of the address, which servers never see, is led on by browsers.
  const asked = form({
    csrfToken,
    hidden: { next: next === "/" ? undefined : next, ...appParameters(app) },
    fields: [
      emailField({ name: "username", value: email, isFirst: email === "" }),
      field({
        name: "password",
        label: "Password",
        type: "password",
        autocomplete: "current-password",
        maxLength: 1000,
        isFirst: email !== "",
        problem,
        aside: forgotten,
      }),
    ],
    submit: "Sign in",
  });
  return {
    status,
    title: "Sign in",
    ...(app?.kind === "mobile" ? { leadsTo: appScheme } : {}),
    body: markup`${app && markup`<p>You go back to the app afterwards.</p>`}
${asked}
${others.map((way) => bigLink(addressOf(way, next, app), `Sign in with ${way.display_name}`))}
<p class="aside">${newHere(realm)}</p>`,
  };
}

function addressOf({ login_url }: OtherWay, next: string, app: WaitingApp | undefined): string {
  const query = new URLSearchParams({ ...(next === "/" ? {} : { next }), ...appParameters(app) }).toString();
  return query === "" ? login_url : `${login_url}?${query}`;
}

export const tokenUsed: PlainPage = {
  status: 410,
  title: "Sign in once more",
  body: markup`<p>What was to sign you in here could be used once, within a minute.</p>
${bigLink("/login/", "Sign in")}`,
};

const newHere = (realm: Visit["realm"]): Html =>
  realm.invite_required
    ? markup`New here? You need an invitation: ask somebody in ${realm.name} for one.`
    : markup`New here? <a href="/register/">Make an account</a>`;

interface EmailField {
  name?: string;
  value?: string;
  isFirst?: boolean;
  hint?: string;
  problem?: string | undefined;
}

export const emailField = ({ name = "email", ...rest }: EmailField): Html =>
  field({ name, label: "E-mail address", type: "email", autocomplete: "username", maxLength: maxEmailLength, ...rest });

export const newPasswordField = (problem: string | undefined, label = "Password"): Html =>
  field({
    name: "password",
    label,
    type: "password",
    autocomplete: "new-password",
    minLength: passwordMinLength,
    maxLength: passwordMaxLength,
    hint: `At least ${passwordMinLength} characters that nobody would guess.`,
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
  /** What the mail is for. */
  text: Html;
  submit: string;
  /** At the end: where else to go. */
  aside?: Html;
  email?: string;
  problem?: string | undefined;
  status?: number;
}

/** A form that asks for an address, to be sent a mail. */
export function askForMail({ visit, title, action, text, submit, aside, ...given }: AskForMail): PlainPage {
  const fields = [emailField({ value: given.email ?? "", isFirst: true, problem: given.problem })];
  const asked = form({ action, csrfToken: visit.csrfToken, fields, submit });
  return {
    status: given.status ?? 200,
    title,
    body: markup`<p>${text}</p>
${asked}
${aside && markup`<p class="aside">${aside}</p>`}`,
  };
}

/** The same whatever became of it: only who reads the mail learns that. */
export const lookIntoMail = (email: string, purpose: string): PlainPage => ({
  title: "Look into your mailbox",
  body: markup`<p>A mail is on its way to <strong>${email}</strong>. ${purpose}</p>
<p>If nothing has come in a few minutes, look among unwanted mail, or go back and check the address.</p>`,
});

export const organizationClosed = (realm: { name: string }): PlainPage => ({
  status: 410,
  title: `${realm.name} is closed`,
  body: markup`<p>This organization has been deactivated. Nobody can sign in or join now; ask whoever ran it.</p>`,
});

export function refusal(error: ApiError): PlainPage {
  const wait = waitingTime(error);
  const { status, code } = error;
  if (wait !== undefined)
    return {
      status,
      title: "Too many requests",
      body: markup`<p>That was more than is allowed from here. Try again ${wait}.</p>`,
    };
  if (code === "NONEXISTENT_SUBDOMAIN")
    return {
      status,
      title: "There is no organization here",
      body: markup`<p>Check the address. If you run this server and have just installed it, open what it printed when it
started, or <a href="/setup/">set up its first organization</a>.</p>`,
    };
  if (code === "CSRF_FAILED")
    return {
      status,
      title: "This page was too old",
      body: markup`<p>What you sent could not be matched with this browser. Nothing was changed. Go back, reload the page and
try once more; cookies have to be allowed.</p>
${bigLink("/login/", "Sign in")}`,
    };
  return { status, title: "That did not work", body: markup`${problemText(error.message)}` };
}
