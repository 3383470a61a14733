/** Strict tools accept our document. */
import { createConfig, lintDocument, makeDocumentFromString, BaseResolver } from "@redocly/openapi-core";
import { expect, test } from "vitest";
import { documentedEndpoints } from "./all.ts";
import { toOpenApi } from "./openapi.ts";

const rules = {
  // OpenAPI matches fixed path segments before parameters: /users/me is not a user's id.
  "no-ambiguous-paths": "off",
  // A dictionary may require keys without listing them as properties.
  "no-required-schema-properties-undefined": "off",
  // Tags are the headings of the reference pages, which need no description.
  "tag-description": "off",
  // Opening a WebSocket succeeds with 101.
  "operation-2xx-response": "off",
} as const;

test("a strict linter finds nothing in the document", async () => {
  const document = makeDocumentFromString(JSON.stringify(toOpenApi(documentedEndpoints)), "openapi.json");
  const config = await createConfig({ extends: ["recommended-strict"], rules });

  const problems = await lintDocument({ document, config, externalRefResolver: new BaseResolver() });

  const messages = problems.map(
    ({ ruleId, message, location }) => `${ruleId}: ${message} at ${location[0]?.pointer ?? ""}`,
  );
  expect([...new Set(messages)].slice(0, 50)).toEqual([]);
});
