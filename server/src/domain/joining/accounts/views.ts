/** The pages for joining. */
import { maxFullNameLength } from "@skein/api/users.ts";
import { bigLink, field, form, problemText } from "../../../http/pages/fields.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import { markup } from "../../../platform/markup.ts";
import { emailFormPage, fixedEmail, newPasswordField } from "../sign-in/views.ts";
import type { Visit } from "../sign-in/visit.ts";
import type { ClosedState } from "./open-link.ts";

interface Organization {
  name: string;
}

interface Registration {
  visit: Visit;
  token: string;
  email: string;
  /** Undefined for open registration. */
  inviterName: string | undefined;
  fullName?: string;
  /** The error of the last attempt. */
  problem?: { field: "full_name" | "password"; text: string };
}

export function registration({ visit, token, email, inviterName, fullName = "", problem }: Registration): PlainPage {
  const { name } = visit.realm;
  const problemOf = (wanted: string) => (problem?.field === wanted ? problem.text : undefined);
  const greeting = inviterName === undefined ? "Almost there." : `${inviterName} invited you to ${name}.`;
  const registrationForm = form({
    action: "/accounts/register/",
    csrfToken: visit.csrfToken,
    hidden: { key: token },
    fields: [
      fixedEmail(email),
      field({
        name: "full_name",
        label: "Your name",
        value: fullName,
        autocomplete: "name",
        maxLength: maxFullNameLength,
        isFirst: true,
        problem: problemOf("full_name"),
      }),
      newPasswordField(problemOf("password")),
    ],
    submit: `Join ${name}`,
  });
  return {
    status: problem === undefined ? 200 : 400,
    title: `Join ${name}`,
    body: markup`<p>${greeting} Enter your name and choose a password to create your account.</p>
${registrationForm}`,
  };
}

export const joined = (realm: Organization, email: string): PlainPage => ({
  title: `Welcome to ${realm.name}`,
  body: markup`<p>Your account is ready, and you are signed in. On other devices, sign in with <strong>${email}</strong> and the
password you chose.</p>
${bigLink("/", `Open ${realm.name}`)}`,
});

export const alreadyJoined = (realm: Organization, email: string): PlainPage => ({
  title: `You already have an account at ${realm.name}`,
  body: markup`<p>There is already an account for <strong>${email}</strong>.</p>
${bigLink(`/login/?email=${encodeURIComponent(email)}`, "Sign in")}`,
});

const closedTexts: Record<ClosedState, { title: string; text: string }> = {
  used: {
    title: "This link has already been used",
    text: "An account was created with it. If that was you, sign in. Otherwise, ask for a new invitation.",
  },
  revoked: {
    title: "This invitation was revoked",
    text: "It no longer works. Ask the person who invited you for a new one.",
  },
  expired: {
    title: "This link has expired",
    text: "Ask the person who invited you for a new invitation.",
  },
  unknown: {
    title: "This link is invalid",
    text: "Part of it may be missing. Open it from the mail again, or copy the whole link. If that does not help, ask the person who invited you for a new invitation.",
  },
};

export const closed = (realm: Organization, state: ClosedState): PlainPage => {
  const { title, text } = closedTexts[state];
  return {
    status: state === "unknown" ? 404 : 410,
    title,
    body: markup`<p>${text}</p>
${bigLink("/", `Open ${realm.name}`)}`,
  };
};

interface AddressForm {
  visit: Visit;
  email?: string;
  problem?: string;
  status?: number;
}

export const addressForm = ({ token, ...request }: AddressForm & { token: string }): PlainPage =>
  emailFormPage({
    ...request,
    title: `Join ${request.visit.realm.name}`,
    action: `/join/${token}/`,
    text: markup`You are invited to join ${request.visit.realm.name}. Enter your e-mail address, and we will send you a link to
continue.`,
    submit: "Send link",
  });

export const openRegistration = (request: AddressForm): PlainPage =>
  emailFormPage({
    ...request,
    title: `Join ${request.visit.realm.name}`,
    action: "/register/",
    text: markup`Anyone can join ${request.visit.realm.name}. Enter your e-mail address, and we will send you a link to continue.`,
    submit: "Send link",
    aside: markup`Already have an account? <a href="/login/">Sign in</a>`,
  });

export const invitationNeeded = (realm: Organization): PlainPage => ({
  status: 403,
  title: "You need an invitation",
  body: markup`<p>You can join ${realm.name} by invitation only. Ask a member to invite you.</p>
${bigLink("/login/", "Sign in instead")}`,
});

export const errorPage = (status: number, message: string): PlainPage => ({
  status,
  title: "Something went wrong",
  body: markup`${problemText(message)}`,
});
