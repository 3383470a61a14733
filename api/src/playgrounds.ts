/** Code playgrounds: sites where users can run a code block from a message. */
import { z } from "zod";
import { endpoint, json, textUpTo } from "./endpoint.ts";

/** Limited, because each change sends all of them to everybody. */
export const maxPlaygrounds = 200;
export const maxPlaygroundNameLength = 100;
export const maxPlaygroundLanguageLength = 40;
export const maxPlaygroundTemplateLength = 2000;

const language = "The language of the code, as code blocks name it.";
const template = "Where it leads: an RFC 6570 template with the one variable code.";

export const playground = z
  .strictObject({
    id: z.int(),
    name: z.string().describe("What to call it where there are several for a language."),
    pygments_language: z.string().describe(language),
    url_template: z.string().describe(template),
  })
  .meta({ id: "Playground" });
export type Playground = z.output<typeof playground>;

const area = "Server and organization";

export const addPlayground = endpoint({
  operation: "add-code-playground",
  method: "POST",
  path: "/realm/playgrounds",
  auth: "user",
  scope: "admin",
  area,
  summary: "Add a code playground",
  description: "Let users run code in a language on an external site. For administrators.",
  params: {
    name: textUpTo(maxPlaygroundNameLength).describe("What to call it; no two for a language share a name."),
    pygments_language: textUpTo(maxPlaygroundLanguageLength).describe(language),
    url_template: textUpTo(maxPlaygroundTemplateLength).describe(template),
  },
  returns: { id: z.int().describe("The new playground.") },
});

export const removePlayground = endpoint({
  operation: "remove-code-playground",
  method: "DELETE",
  path: "/realm/playgrounds/{playground_id}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Remove a code playground",
  description: "Remove a playground. For administrators.",
  params: { playground_id: json(z.int()).describe("The playground.") },
  returns: {},
});

const playgrounds = z.array(playground);

export const playgroundState = {
  realm_playgrounds: playgrounds.describe("The organization's code playgrounds."),
};

export const playgroundsEvent = z.strictObject({
  type: z.literal("realm_playgrounds"),
  realm_playgrounds: playgrounds.describe("All of them."),
});

export const endpoints = [addPlayground, removePlayground];
