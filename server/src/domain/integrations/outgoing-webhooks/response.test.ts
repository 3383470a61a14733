import { expect, test } from "vitest";
import { OutboundError } from "../../../platform/outbound.ts";
import { requestFailed } from "./response.ts";

test.each([
  ["timeout", "The webhook did not respond in time."],
  ["unreachable", "The webhook could not be reached."],
  ["too-large", "The webhook's response is too long."],
  ["refused-address", "The webhook's URL is not allowed."],
  ["bad-url", "The webhook's URL is not valid."],
] as const)("a call that ends with %s is explained by: %s", (kind, summary) => {
  expect(requestFailed(new OutboundError(kind, "because"))).toEqual({
    kind: "failure",
    summary,
    details: "Reason: because.",
  });
});
