import { expect, test } from "vitest";
import { isDatabaseOutage } from "./outage.ts";
import { CommitOutcomeUnknown } from "./transaction.ts";

const coded = (code: string) => Object.assign(new Error("x"), { code });

test.each([
  coded("ECONNREFUSED"),
  coded("57P01"),
  coded("57P03"),
  coded("53300"),
  coded("08006"),
  coded("57014"),
  coded("55P03"),
  new Error("Connection terminated unexpectedly"),
  new Error("timeout exceeded when trying to connect"),
  new AggregateError([coded("ECONNREFUSED"), coded("ECONNREFUSED")]),
  new CommitOutcomeUnknown("send: unknown outcome", { cause: coded("ECONNRESET") }),
])("%s is an outage", (error) => {
  expect(isDatabaseOutage(error)).toBe(true);
});

test.each([coded("23505"), coded("42P01"), coded("40P01"), new TypeError("x is not a function"), "text"])(
  "%s is not an outage",
  (error) => {
    expect(isDatabaseOutage(error)).toBe(false);
  },
);
