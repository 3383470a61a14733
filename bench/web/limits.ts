/** What stands in the way of a budget, as a trace showed it; told in the report while the budget is missed. */
const palette =
  "most keys take 8 ms: 1 to 2 ms of script, of which matching among 110,000 names is under 1, the same for style and layout, and 5 ms " +
  "of the browser's own for the key and the painting, which is done without a graphics card here. The first letter of a query takes " +
  "twice that, since every row becomes another and faces are loaded, and that is one key of nine. Tried: rows used again instead of " +
  "made anew, the list without a query kept, no pictures asked for, words looked up by their first letters (from 3 to 6 ms to under 1)";
const typeahead =
  "most keys take 8 to 12 ms, of which typing alone is 6 to 8. The key that opens the list (`@`, `#`), one of ten, takes 17 to 25 ms: 6 " +
  "of script and layout for the list and the place of the caret, 7 for the frame that shows it above everything else, 4 for the frame " +
  "in which the faces have come. Tried: the same as for the palette, and to tell others that one writes a moment later";

const atTheEdge =
  "at the edge of the budget on this machine, whose speed changes by a quarter from run to run (the bare list and innerHTML tell); two " +
  "other whole runs of the same day were within it";

export const limits: Readonly<Record<string, string>> = {
  usable: atTheEdge,
  "palette-open": atTheEdge,
  palette,
  "palette-slowest": palette,
  typeahead,
  "typeahead-slowest": typeahead,
  switch:
    "of 50 ms, 5 are the browser's for the click and the address, 14 script that makes 20 rows and a composer (2 of them the checked " +
    "HTML), 12 their style and layout, 3 giving focus to the composer, and 10 the frame; the rest is the wait for it. Tried: no row of " +
    "the old window for the new list, all rows with the first rendering instead of the second, as many rows at first as the window " +
    "holds, which together took 80 ms to 50",
};
