/** What stands in the way of a budget, as a trace showed it; told in the report while the budget is missed. */
const palette =
  "most keys take 9 ms: 4 ms of script, of which matching among 110,000 names is 2 to 4, under 1 ms of style and layout, and 5 ms " +
  "of the browser's own for the key and the painting, which is done without a graphics card here. The first letter of a query takes " +
  "17 ms, since every row becomes another, and that is one key of nine. Tried: rows used again instead of made anew, the list " +
  "without a query kept, no pictures asked for";
const typeahead =
  "most keys take 10 to 13 ms, of which typing alone is 7 to 9. The key that opens the list (`@`, `#`), one of ten, takes 25 ms: the " +
  "place of the caret is measured, the list is shown above everything else and painted. Tried: the same as for the palette";

const atTheEdge =
  "at the edge of the budget on this machine, whose speed changes by a quarter from run to run (the bare list and innerHTML tell); two " +
  "other whole runs of the same day were within it";

export const limits: Readonly<Record<string, string>> = {
  shell: atTheEdge,
  usable: atTheEdge,
  "palette-open": atTheEdge,
  "shell-slow":
    "reckoned, not traced: connection, page and script are three times 150 ms, their 95 kB another 500 ms, and what is left is script at a quarter of the " +
    "processor's speed; the spread of rounds on this machine is wider than what is missing",
  palette,
  "palette-slowest": palette,
  typeahead,
  "typeahead-slowest": typeahead,
  switch:
    "the new rows, 30 at first and the others after the first frame; not traced to its parts yet. Tried: no row of the old window for " +
    "the new list, which took 87 ms to 51 ms in a window of its own; at the end of a day in one window it is more",
};
