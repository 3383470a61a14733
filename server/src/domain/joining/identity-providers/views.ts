/** The pages around signing in with an identity provider, and those that explain why its word was not enough. */
import { bigLink } from "../../../http/pages/fields.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import { markup } from "../../../platform/markup.ts";

const back = bigLink("/login/", "Sign in");

export const unknownAttempt: PlainPage = {
  status: 400,
  title: "Please sign in again",
  body: markup`<p>This sign-in was not started in this browser, or it has expired. If it happens again, check that your browser
allows cookies for this site.</p>
${back}`,
};

export const notCompleted: PlainPage = {
  status: 400,
  title: "You are not signed in",
  body: markup`<p>The sign-in was not completed. Try again, or sign in with your password.</p>
${back}`,
};

export const providerFailed: PlainPage = {
  status: 502,
  title: "Sign-in failed",
  body: markup`<p>The identity provider returned no valid response. Try again later. If it keeps failing, ask your administrator
to check the server log.</p>
${back}`,
};

export const noVerifiedAddress: PlainPage = {
  status: 403,
  title: "No verified e-mail address",
  body: markup`<p>The identity provider sent no verified e-mail address for you. Verify your address there, then sign in
again.</p>
${back}`,
};

export const otherDomain = (email: string): PlainPage => ({
  status: 403,
  title: "This address is not accepted",
  body: markup`<p>The identity provider may not vouch for <strong>${email}</strong>. Ask your administrator to allow its domain.</p>
${back}`,
});

export const refusedAddress = (email: string, objection: string): PlainPage => ({
  status: 403,
  title: "This address is not accepted",
  body: markup`<p><strong>${email}</strong>: ${objection}</p>
${back}`,
});

export const noAccount = (email: string): PlainPage => ({
  status: 403,
  title: "You need an invitation",
  body: markup`<p>There is no account for <strong>${email}</strong> yet. Ask a member to invite you, then sign in again.</p>
${back}`,
});

export const linkedToAnother = (email: string): PlainPage => ({
  status: 403,
  title: "This account belongs to somebody else",
  body: markup`<p>The account of <strong>${email}</strong> is tied to another person at the identity provider. Ask your administrator
for help.</p>
${back}`,
});

export const providerOnly: PlainPage = {
  status: 403,
  title: "Sign in with your organization's account",
  body: markup`<p>This organization accepts sign-ins with its identity provider only. You need no password here.</p>
${back}`,
};
