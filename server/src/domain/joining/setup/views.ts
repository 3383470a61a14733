import { maxFullNameLength } from "@skein/api/users.ts";
import { field, form, type Field } from "../../../http/pages/fields.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import { markup, type Html } from "../../../platform/markup.ts";
import { emailField, newPasswordField } from "../sign-in/views.ts";
import { maxRealmNameLength } from "../../organization/realm/name.ts";
import { setupPath } from "./token.ts";

export interface SetupFields {
  token: string;
  organization: string;
  full_name: string;
  email: string;
}
export type SetupField = keyof SetupFields | "password";

export interface SetupProblem {
  field: SetupField;
  text: string;
}

interface SetupForm {
  fields: SetupFields;
  csrfToken: string;
  problem: SetupProblem | undefined;
}

export const organizationField = (value: string, more: Pick<Field, "isFirst" | "problem">): Html =>
  field({
    name: "organization",
    label: "Organization name",
    value,
    autocomplete: "organization",
    maxLength: maxRealmNameLength,
    ...more,
  });

export const fullNameField = (value: string, problem: string | undefined): Html =>
  field({ name: "full_name", label: "Your name", value, autocomplete: "name", maxLength: maxFullNameLength, problem });

export function setupForm({ fields, csrfToken, problem }: SetupForm): PlainPage {
  const problemOf = (wanted: SetupField) => (problem?.field === wanted ? problem.text : undefined);
  // The printed URL contains the token, so nobody has to type it.
  const asksForToken = fields.token === "" || problemOf("token") !== undefined;
  const token = field({
    name: "token",
    label: "Token",
    autocomplete: "off",
    maxLength: 100,
    isFirst: true,
    hint: "The server printed this token when it started.",
    problem: problemOf("token"),
  });
  const organization = organizationField(fields.organization, {
    isFirst: !asksForToken,
    problem: problemOf("organization"),
  });
  const fullName = fullNameField(fields.full_name, problemOf("full_name"));
  const email = emailField({ value: fields.email, problem: problemOf("email") });
  const organizationForm = form({
    action: `${setupPath}/`,
    csrfToken,
    hidden: { token: asksForToken ? undefined : fields.token },
    fields: [...(asksForToken ? [token] : []), organization, fullName, email, newPasswordField(problemOf("password"))],
    submit: "Create organization",
  });
  return {
    status: problem ? 400 : 200,
    title: "Set up your organization",
    body: markup`<p>This server has no organization yet. You will be its owner, and you can change everything later.</p>
${organizationForm}`,
  };
}
