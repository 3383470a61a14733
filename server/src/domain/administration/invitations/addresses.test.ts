import { expect, test } from "vitest";
import { readAddresses } from "./addresses.ts";

// spec 4.11: invitee_emails
test.for<[string, string[]]>([
  ["", []],
  [" , \n\n ,", []],
  ["a@example.com", ["a@example.com"]],
  ["a@example.com, b@example.com\nc@example.com\r\nd@example.com", ["a", "b", "c", "d"].map((x) => `${x}@example.com`)],
  ["A@example.com,a@EXAMPLE.com", ["A@example.com"]],
  ["Ada <ada@example.com>,  <bo@example.com> ", ["ada@example.com", "bo@example.com"]],
  ["not an address", ["not an address"]],
])("%j names %j", ([text, addresses]) => {
  expect(readAddresses(text)).toEqual(addresses);
});
