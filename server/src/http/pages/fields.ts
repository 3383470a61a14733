/** Forms of plain pages: every field has a label, and its error is shown right beside it. */
import { markup, type Html } from "../../platform/markup.ts";
import { csrfField } from "../browser-session.ts";

export interface Field {
  name: string;
  label: string;
  type?: "text" | "email" | "password";
  value?: string;
  /** The HTML attribute: what the browser may fill in. */
  autocomplete: string;
  minLength?: number;
  maxLength: number;
  /** Read-only, and not sent with the form. */
  isFixed?: boolean;
  /** Has the focus when the page opens. */
  isFirst?: boolean;
  hint?: string;
  /** The error shown below the field. */
  problem?: string | undefined;
  /** A link beside the label. */
  aside?: Html;
}

export function field(given: Field): Html {
  const { name, label, type = "text", value = "", autocomplete, maxLength, hint, problem, aside } = given;
  const notes = [
    ...(problem === undefined ? [] : [markup`<p class="wrong" id="${name}-wrong">${problem}</p>`]),
    ...(hint === undefined ? [] : [markup`<p class="hint" id="${name}-hint">${hint}</p>`]),
  ];
  const ids = [problem === undefined ? "" : `${name}-wrong`, hint === undefined ? "" : `${name}-hint`].join(" ").trim();
  const description = ids === "" ? undefined : markup` aria-describedby="${ids}"`;
  const length = given.minLength === undefined ? undefined : markup` minlength="${given.minLength}"`;
  const inputAttributes = given.isFixed ? markup` readonly` : markup` name="${name}" required`;
  return markup`<div class="field">
<div><label for="${name}">${label}</label>${aside}</div>
<input id="${name}"${inputAttributes} type="${type}" value="${value}" autocomplete="${autocomplete}"${length} maxlength="${maxLength}"${
    given.isFirst ? markup` autofocus` : undefined
  }${problem === undefined ? undefined : markup` aria-invalid="true"`}${description}>
${notes}
</div>`;
}

interface Checkbox {
  name: string;
  label: string;
  isChecked: boolean;
  hint: string;
}

export const checkbox = ({ name, label, isChecked, hint }: Checkbox): Html => markup`<div class="field">
<div><label><input type="checkbox" name="${name}" value="1"${
  isChecked ? markup` checked` : undefined
} aria-describedby="${name}-hint"> ${label}</label></div>
<p class="hint" id="${name}-hint">${hint}</p>
</div>`;

interface Form {
  /** For a form that the page's script finds by this id, and shows. */
  id?: string;
  /** Defaults to the page's own URL, including its fragment. */
  action?: string;
  /** See formToken(). */
  csrfToken: string;
  /** Hidden inputs. Those without a value are left out. */
  hidden?: Record<string, string | undefined>;
  fields: readonly Html[];
  submit: string;
}

export function form({ id, action, csrfToken, hidden = {}, fields, submit }: Form): Html {
  const hiddenInputs = Object.entries({ [csrfField]: csrfToken, ...hidden }).flatMap(([name, value]) =>
    value === undefined ? [] : [markup`<input type="hidden" name="${name}" value="${value}">`],
  );
  const target = action === undefined ? undefined : markup` action="${action}"`;
  const script = id === undefined ? undefined : markup` id="${id}" hidden`;
  return markup`<form method="post"${target}${script}>
${hiddenInputs}
${fields}
<button type="submit">${submit}</button>
</form>`;
}

/** An error that is not about a single field. */
export const problemText = (problem: string | undefined): Html | undefined =>
  problem === undefined ? undefined : markup`<p class="problem" role="alert">${problem}</p>`;

/** A link that looks like a button. */
export const bigLink = (href: string, text: string): Html =>
  markup`<p><a class="button" href="${href}">${text}</a></p>`;
