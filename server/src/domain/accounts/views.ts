/** How the pages of joining look. */
import { passwordMaxLength, passwordMinLength, maxFullNameLength } from "@skein/api/users.ts";
import type { PlainPage } from "../../http/pages/plain-page.ts";
import { markup, type Html } from "../../platform/markup.ts";
import type { ClosedState } from "./open-link.ts";

interface Organization {
  name: string;
}

const problemText = (problem: string | undefined): Html | undefined =>
  problem === undefined ? undefined : markup`<p class="problem" role="alert">${problem}</p>`;

interface Registration {
  realm: Organization;
  token: string;
  email: string;
  inviterName: string;
  fullName?: string;
  /** What was wrong with the last try. */
  problem?: string;
}

export const registration = ({
  realm,
  token,
  email,
  inviterName,
  fullName = "",
  problem,
}: Registration): PlainPage => ({
  status: problem === undefined ? 200 : 400,
  title: `Join ${realm.name}`,
  body: markup`<p>${inviterName} invites you to ${realm.name}. Choose a name and a password, and you are in.</p>
${problemText(problem)}
<form method="post" action="/accounts/register/">
<input type="hidden" name="key" value="${token}">
<label for="email">E-mail address</label>
<input id="email" type="email" value="${email}" readonly autocomplete="username">
<label for="full_name">Your name</label>
<input id="full_name" name="full_name" value="${fullName}" required maxlength="${maxFullNameLength}" autocomplete="name">
<label for="password">Password</label>
<input id="password" name="password" type="password" required minlength="${passwordMinLength}"
  maxlength="${passwordMaxLength}" autocomplete="new-password" aria-describedby="password-hint">
<p id="password-hint">At least ${passwordMinLength} characters that nobody would guess.</p>
<button type="submit">Join ${realm.name}</button>
</form>`,
});

export const joined = (realm: Organization, email: string): PlainPage => ({
  title: `Welcome to ${realm.name}`,
  body: markup`<p>Your account is ready. Sign in with <strong>${email}</strong> and the password you have chosen.</p>
<p><a href="/">Open ${realm.name}</a></p>`,
});

export const alreadyJoined = (realm: Organization, email: string): PlainPage => ({
  title: `You have an account at ${realm.name}`,
  body: markup`<p>There is an account for <strong>${email}</strong> already. Sign in with it.</p>
<p><a href="/">Open ${realm.name}</a></p>`,
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
<p><a href="/">Open ${realm.name}</a></p>`,
  };
};

interface AddressForm {
  realm: Organization;
  token: string;
  email?: string;
  problem?: string;
  status?: number;
}

export const addressForm = ({ realm, token, email = "", problem, status = 200 }: AddressForm): PlainPage => ({
  status,
  title: `Join ${realm.name}`,
  body: markup`<p>You are invited to ${realm.name}. Tell us your address, and we mail you a link to go on.</p>
${problemText(problem)}
<form method="post" action="/join/${token}/">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" value="${email}" required maxlength="254" autocomplete="email">
<button type="submit">Mail me a link</button>
</form>`,
});

export const lookIntoMail = (realm: Organization, email: string): PlainPage => ({
  title: "Look into your mailbox",
  body: markup`<p>A mail is on its way to <strong>${email}</strong>. Open the link in it to join ${realm.name}.</p>
<p>If nothing has come in a few minutes, look among unwanted mail, or go back and check the address.</p>`,
});

export const organizationClosed = (realm: Organization): PlainPage => ({
  status: 410,
  title: `${realm.name} is closed`,
  body: markup`<p>This organization has been deactivated. Nobody can join it now; ask whoever invited you.</p>`,
});

export const refusal = (status: number, message: string): PlainPage => ({
  status,
  title: "That did not work",
  body: markup`<p>${message}</p>`,
});
