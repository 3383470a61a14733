/** Shows any JSON payload as it is: to see what a service sends, or if no integration fits. */
import type { Integration } from "./integration.ts";
import { codeBlock } from "./markdown.ts";

/** Leaves room for the code fence within the maximum message length. */
const maxLength = 9900;

export const json: Integration = {
  name: "json",
  displayName: "JSON formatter",
  clientName: "JSON",
  eventTypes: null,
  options: [],
  format: ({ payload }) => ({
    event: undefined,
    reports: [{ topic: "JSON", content: codeBlock("json", JSON.stringify(payload, undefined, 2), maxLength) }],
  }),
};
