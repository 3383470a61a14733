/** The pages on which users create organizations. */
import { bigLink, field, form } from "../../../http/pages/fields.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import { markup } from "../../../platform/markup.ts";
import { emailFormPage, fixedEmail, newPasswordField } from "../sign-in/views.ts";
import type { Visit } from "../sign-in/visit.ts";
import { newPath } from "./new-organization.ts";
import { fullNameField, organizationField } from "./views.ts";

interface MailRequest {
  visit: Visit;
  email?: string;
  problem?: string;
  status?: number;
}

export const creationRequestPage = (request: MailRequest): PlainPage =>
  emailFormPage({
    ...request,
    title: "Create an organization",
    action: `${newPath}/`,
    text: markup`You will be its owner. Enter your e-mail address, and we will send you a link to continue.`,
    submit: "Send link",
    aside: markup`<a href="/accounts/find/">Find organizations you already belong to</a>`,
  });

export const creationClosed: PlainPage = {
  status: 403,
  title: "You cannot create an organization here",
  body: markup`<p>On this server only its operators create organizations. Ask them to create one, or to invite you to an existing
one.</p>
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
  /** The part of the host name after the subdomain. */
  parentHost: string;
  /** Where submitting the form may redirect to. */
  formTarget: string;
  fields: CreationFields;
  problem?: { field: CreationField; text: string } | undefined;
}

export function creationForm(given: CreationForm): PlainPage {
  const { csrfToken, token, email, parentHost, formTarget, fields, problem } = given;
  const problemOf = (wanted: CreationField) => (problem?.field === wanted ? problem.text : undefined);
  const subdomain = field({
    name: "subdomain",
    label: "Subdomain",
    value: fields.subdomain,
    autocomplete: "off",
    maxLength: 40,
    hint: `The organization's address will be subdomain.${parentHost}`,
    problem: problemOf("subdomain"),
  });
  const organizationForm = form({
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
    submit: "Create organization",
  });
  return {
    status: problem ? 400 : 200,
    title: "Create an organization",
    formTarget,
    body: markup`<p>You will be its owner. You can change everything later.</p>
${organizationForm}`,
  };
}

export const creationLinkClosed = (state: "used" | "revoked" | "expired" | "unknown"): PlainPage => ({
  status: state === "unknown" ? 404 : 410,
  title: "This link does not work",
  body: markup`<p>Such links work only once, for 24 hours.</p>
${bigLink(`${newPath}/`, "Request a new link")}`,
});
