/** How the pages of joining look. */
import { maxFullNameLength } from "@skein/api/users.ts";
import { bigLink, field, form, problemText } from "../../http/pages/fields.ts";
import type { PlainPage } from "../../http/pages/plain-page.ts";
import { markup } from "../../platform/markup.ts";
import { askForMail, fixedEmail, newPasswordField } from "../sign-in/views.ts";
import type { Visit } from "../sign-in/visit.ts";
import type { ClosedState } from "./open-link.ts";

interface Organization {
  name: string;
}

interface Registration {
  visit: Visit;
  token: string;
  email: string;
  /** Nobody where everybody may join. */
  inviterName: string | undefined;
  fullName?: string;
  /** What was wrong with the last try. */
  problem?: { field: "full_name" | "password"; text: string };
}

export function registration({ visit, token, email, inviterName, fullName = "", problem }: Registration): PlainPage {
  const { name } = visit.realm;
  const problemOf = (wanted: string) => (problem?.field === wanted ? problem.text : undefined);
  const greeting = inviterName === undefined ? "Almost there." : `${inviterName} invites you to ${name}.`;
  const asked = form({
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
    body: markup`<p>${greeting} Choose a name and a password, and you are in.</p>
${asked}`,
  };
}

export const joined = (realm: Organization, email: string): PlainPage => ({
  title: `Welcome to ${realm.name}`,
  body: markup`<p>Your account is ready, and this browser is signed in. Elsewhere sign in with <strong>${email}</strong> and
the password you have chosen.</p>
${bigLink("/", `Open ${realm.name}`)}`,
});

export const alreadyJoined = (realm: Organization, email: string): PlainPage => ({
  title: `You have an account at ${realm.name}`,
  body: markup`<p>There is an account for <strong>${email}</strong> already.</p>
${bigLink(`/login/?email=${encodeURIComponent(email)}`, "Sign in")}`,
});

const closedTexts: Record<ClosedState, { title: string; text: string }> = {
  used: {
    title: "This link has been used",
    text: "An account was made with it. If that was you, sign in; if not, ask whoever invited you for a new invitation.",
  },
  revoked: {
    title: "This invitation was taken back",
    text: "It cannot be used any more. Ask whoever invited you for a new one.",
  },
  expired: {
    title: "This link has expired",
    text: "It was valid for a while only. Ask whoever invited you to send it again.",
  },
  unknown: {
    title: "This link is not known here",
    text: "Perhaps a part of it is missing: open it from the mail once more, or copy all of it. If that does not help, ask whoever invited you for a new invitation.",
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

export const addressForm = ({ token, ...asked }: AddressForm & { token: string }): PlainPage =>
  askForMail({
    ...asked,
    title: `Join ${asked.visit.realm.name}`,
    action: `/join/${token}/`,
    text: markup`You are invited to ${asked.visit.realm.name}. Tell us your address, and we mail you a link to go on.`,
    submit: "Mail me a link",
  });

export const openRegistration = (asked: AddressForm): PlainPage =>
  askForMail({
    ...asked,
    title: `Join ${asked.visit.realm.name}`,
    action: "/register/",
    text: markup`Everybody may join ${asked.visit.realm.name}. Tell us your address, and we mail you a link to go on.`,
    submit: "Mail me a link",
    aside: markup`Have an account? <a href="/login/">Sign in</a>`,
  });

export const invitationNeeded = (realm: Organization): PlainPage => ({
  status: 403,
  title: "You need an invitation",
  body: markup`<p>People join ${realm.name} by invitation. Ask somebody there for one; it comes by mail, with a link.</p>
${bigLink("/login/", "Sign in instead")}`,
});

export const refusal = (status: number, message: string): PlainPage => ({
  status,
  title: "That did not work",
  body: markup`${problemText(message)}`,
});
