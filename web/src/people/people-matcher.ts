/** Everybody one can write to, to be found by name or address: for the palette, the typeahead, search, fields of people. */
import { KeptMatcher } from "../composer/kept-matcher.ts";
import { activePeople } from "../store/people.ts";

export const peopleMatcher = new KeptMatcher(
  activePeople,
  ({ full_name, delivery_email }) => `${full_name}\n${delivery_email ?? ""}`,
);
