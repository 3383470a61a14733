/** Anything at all, shown as it came: to see what a service sends, or where no integration fits. */
import type { Integration } from "./integration.ts";
import { codeBlock } from "./markdown.ts";

/** Leaves room for the fence in the longest message. */
const longest = 9900;

export const json: Integration = {
  name: "json",
  displayName: "JSON formatter",
  clientName: "JSON",
  eventTypes: null,
  options: [],
  format: ({ payload }) => ({
    event: undefined,
    reports: [{ topic: "JSON", content: codeBlock("json", JSON.stringify(payload, undefined, 2), longest) }],
  }),
};
