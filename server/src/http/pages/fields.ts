/** Forms of plain pages: every field with its label, and what is wrong with it right beside it. */
import { markup, type Html } from "../../platform/markup.ts";
import { csrfField } from "../browser-session.ts";

export interface Field {
  name: string;
  label: string;
  type?: "text" | "email" | "password";
  value?: string;
  /** What the browser may fill in. */
  autocomplete: string;
  minLength?: number;
  maxLength: number;
  /** Shown, not asked for. */
  isFixed?: boolean;
  /** Where the cursor is when the page opens. */
  isFirst?: boolean;
  hint?: string;
  /** What was wrong with it. */
  problem?: string | undefined;
  /** Beside the label: a way out. */
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
  const asked = given.isFixed ? markup` readonly` : markup` name="${name}" required`;
  return markup`<div class="field">
<div><label for="${name}">${label}</label>${aside}</div>
<input id="${name}"${asked} type="${type}" value="${value}" autocomplete="${autocomplete}"${length} maxlength="${maxLength}"${
    given.isFirst ? markup` autofocus` : undefined
  }${problem === undefined ? undefined : markup` aria-invalid="true"`}${description}>
${notes}
</div>`;
}

interface Form {
  /** The page's own address when left out, with what stands behind its #. */
  action?: string;
  /** See formToken(). */
  csrfToken: string;
  /** Sent along, not shown. Those without a value are left out. */
  hidden?: Record<string, string | undefined>;
  fields: readonly Html[];
  submit: string;
}

export function form({ action, csrfToken, hidden = {}, fields, submit }: Form): Html {
  const unseen = Object.entries({ [csrfField]: csrfToken, ...hidden }).flatMap(([name, value]) =>
    value === undefined ? [] : [markup`<input type="hidden" name="${name}" value="${value}">`],
  );
  const target = action === undefined ? undefined : markup` action="${action}"`;
  return markup`<form method="post"${target}>
${unseen}
${fields}
<button type="submit">${submit}</button>
</form>`;
}

/** What went wrong, where it is about no field. */
export const problemText = (problem: string | undefined): Html | undefined =>
  problem === undefined ? undefined : markup`<p class="problem" role="alert">${problem}</p>`;

/** A way on that looks like one. */
export const bigLink = (href: string, text: string): Html =>
  markup`<p><a class="button" href="${href}">${text}</a></p>`;
