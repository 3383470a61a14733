/** Why a budget is missed, according to a trace; reported while it is missed. */
const palette =
  "most keys take 8 ms: 1 to 2 ms of script (less than 1 ms for matching among 110,000 names), the same for style and layout, and " +
  "5 ms in the browser for the key and for painting without a GPU. The first letter of a query, one key in nine, takes twice as long, " +
  "because every row changes and avatars are loaded. Tried: reusing rows, keeping the list without a query, requesting no pictures, " +
  "looking up words by their first letters (which reduced 3 to 6 ms to less than 1)";
const typeahead =
  "most keys take 8 to 12 ms, of which typing alone is 6 to 8. The key that opens the list (`@`, `#`), one in ten, takes 17 to 25 ms: 6 " +
  "for script and layout of the list and the position of the caret, 7 for the frame that shows it on top, 4 for the frame in which the " +
  "avatars have loaded. Tried: the same as for the palette, and sending the typing notification a moment later";

const atTheLimit =
  "at the limit of the budget on this machine, whose speed varies by a quarter from run to run (as the bare list and innerHTML show); " +
  "two other full runs on the same day were within it";

export const limits: Readonly<Record<string, string>> = {
  usable: atTheLimit,
  "palette-open": atTheLimit,
  palette,
  "palette-slowest": palette,
  typeahead,
  "typeahead-slowest": typeahead,
  switch:
    "of 50 ms, 5 are the browser's for the click and the address, 14 are script that builds 20 rows and a composer (2 of them for " +
    "sanitized HTML), 12 are their style and layout, 3 focus the composer, 10 are the frame, and the rest is the wait for it. Tried: " +
    "showing no row of the old conversation for the new list, rendering all rows at first instead of in a second step, and starting " +
    "with as many rows as fit the window, which together reduced 80 ms to 50",
};
