/** The pages that explain why an identity provider's word was not enough. */
import { bigLink } from "../../../http/pages/fields.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import { markup } from "../../../platform/markup.ts";

const back = bigLink("/login/", "Sign in");

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
