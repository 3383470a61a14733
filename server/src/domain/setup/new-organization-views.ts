/** How the pages look on which people make organizations by themselves. */
import { bigLink, field, form } from "../../http/pages/fields.ts";
import type { PlainPage } from "../../http/pages/plain-page.ts";
import { markup } from "../../platform/markup.ts";
import { askForMail, fixedEmail, newPasswordField } from "../sign-in/views.ts";
import type { Visit } from "../sign-in/visit.ts";
import { newPath } from "./new-organization.ts";
import { fullNameField, organizationField } from "./views.ts";

interface Asked {
  visit: Visit;
  email?: string;
  problem?: string;
  status?: number;
}

export const askForCreation = (asked: Asked): PlainPage =>
  askForMail({
    ...asked,
    title: "A new organization",
    action: `${newPath}/`,
    text: markup`You will be its owner. Tell us your address, and we mail you a link to go on.`,
    submit: "Mail me a link",
    aside: markup`<a href="/accounts/find/">Find the organizations you are in</a>`,
  });

export const creationClosed: PlainPage = {
  status: 403,
  title: "Organizations are not made here",
  body: markup`<p>On this server those who run it make organizations. Ask them for one, or for an invitation to theirs.</p>
${bigLink("/accounts/find/", "Find your accounts")}`,
};

export const creationPath = "/realm/register";

export interface CreationFields {
  organization: string;
  subdomain: string;
  full_name: string;
}
export type CreationField = keyof CreationFields | "password";

interface CreationForm {
  csrfToken: string;
  token: string;
  email: string;
  /** What comes behind a short name. */
  parentHost: string;
  /** Where sending the form may lead. */
  leadsTo: string;
  fields: CreationFields;
  problem?: { field: CreationField; text: string } | undefined;
}

export function creationForm(given: CreationForm): PlainPage {
  const { csrfToken, token, email, parentHost, leadsTo, fields, problem } = given;
  const problemOf = (wanted: CreationField) => (problem?.field === wanted ? problem.text : undefined);
  const subdomain = field({
    name: "subdomain",
    label: "Short name",
    value: fields.subdomain,
    autocomplete: "off",
    maxLength: 40,
    hint: `Part of its address: short-name.${parentHost}`,
    problem: problemOf("subdomain"),
  });
  const asked = form({
    action: `${creationPath}/`,
    csrfToken,
    hidden: { key: token },
    fields: [
      organizationField(fields.organization, { isFirst: true, problem: problemOf("organization") }),
      subdomain,
      fullNameField(fields.full_name, problemOf("full_name")),
      fixedEmail(email),
      newPasswordField(problemOf("password")),
    ],
    submit: "Make the organization",
  });
  return {
    status: problem ? 400 : 200,
    title: "A new organization",
    leadsTo,
    body: markup`<p>You will be its owner; everything can be changed later.</p>
${asked}`,
  };
}

export const creationLinkClosed = (state: "used" | "revoked" | "expired" | "unknown"): PlainPage => ({
  status: state === "unknown" ? 404 : 410,
  title: "This link cannot be used",
  body: markup`<p>It could be used once, within a day.</p>
${bigLink(`${newPath}/`, "Ask for a new link")}`,
});
