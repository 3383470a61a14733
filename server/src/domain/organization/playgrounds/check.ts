/** Validates playgrounds, from which clients build URLs. */
import type { Playground } from "@skein/api/playgrounds.ts";
import { parseTemplate } from "url-template";
import { ApiError } from "../../../errors.ts";
import { variablesOf } from "../linkifiers/compile.ts";

export type PlaygroundText = Omit<Playground, "id">;

const languagePattern = /^[ a-zA-Z0-9_+\-./#]+$/;

/** Trims and validates; throws errors by field, which clients show beside the fields. */
export function checkPlayground(given: PlaygroundText): PlaygroundText {
  const playground = {
    name: given.name.trim(),
    pygments_language: given.pygments_language.trim(),
    url_template: given.url_template.trim(),
  };
  const errors = Object.fromEntries(
    Object.entries(errorsIn(playground)).flatMap(([field, error]) => (error === undefined ? [] : [[field, [error]]])),
  );
  const [first] = Object.values(errors).flat();
  if (first !== undefined) throw new ApiError(first, { data: { errors } });
  return playground;
}

const errorsIn = ({ name, pygments_language, url_template }: PlaygroundText) => ({
  name: name === "" ? "This field cannot be blank." : undefined,
  pygments_language: languagePattern.test(pygments_language) ? undefined : "Invalid characters in pygments language",
  url_template: templateError(url_template),
});

function templateError(template: string): string | undefined {
  const variables = variablesOf(template);
  if (typeof variables === "string") return variables;
  if (!isWebUrl(template)) return "Invalid URL template.";
  if (!variables.has("code")) return 'Missing the required variable "code" in the URL template';
  if (variables.size > 1) return '"code" should be the only variable present in the URL template';
  return undefined;
}

/** Clients make links of it, which must open a site and never run code. */
const isWebUrl = (template: string): boolean =>
  ["http:", "https:"].includes(URL.parse(parseTemplate(template).expand({ code: "x" }))?.protocol ?? "");
