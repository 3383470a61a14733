/** Everyone the reader can write to, searchable by name or address: for the palette, typeahead, search and people fields. */
import { IncrementalMatcher } from "./incremental-matcher.ts";
import { activePeople } from "./people.ts";

export const peopleMatcher = new IncrementalMatcher(
  activePeople,
  ({ full_name, delivery_email }) => `${full_name}\n${delivery_email ?? ""}`,
);
