/** Malformed payloads, derived from real ones. */
import fc from "fast-check";

const deep = (levels: number): unknown => {
  let value: unknown = "deep";
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
};

export const hostileValues: readonly unknown[] = [
  null,
  true,
  -1,
  1e308,
  "",
  " ",
  [],
  {},
  [null],
  { toString: "x", constructor: null },
  "@**all**",
  "@**Ophelia**",
  "@",
  "x",
  "@*players* @**topic** @_**Ophelia|3**",
  "@\u0002**all** @\u0000**all** @\u202e**all**",
  "@**al",
  "l**",
  "\ud800 half a character \udfff",
  "`` ` ``` ```` ~~~ quote",
  "](javascript:alert(1)) [a](https://example.com) <b>",
  "a\nb\r\n\n> @**all**\n* @**all**\n```quote\n@**all**",
  "/poll @**all**",
  "| @**all** | b |\n|---|---|\n| @**all** | \\| |",
  "$$ @**all** $$ <time:@**all**> #**@**all**",
  "x".repeat(200_000),
  "@**all** ".repeat(20_000),
  "[".repeat(5_000),
  "*".repeat(5_000),
  deep(90),
  Array.from({ length: 3000 }, () => 7),
  Array.from({ length: 3000 }, () => ({})),
];

type Path = (string | number)[];

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inside]) => pathsIn(inside, [...path, key]))];
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((item, index) => (String(index) === String(key) ? replaced(item, rest, by) : item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inside]) =>
      name === key
        ? by === undefined && rest.length === 0
          ? []
          : [[name, replaced(inside, rest, by)]]
        : [[name, inside]],
    ),
  );
}

/** Changes or removes up to five values. */
export const mutations = (payload: unknown): fc.Arbitrary<unknown> => {
  const paths = pathsIn(payload);
  const change = fc.tuple(fc.constantFrom(...paths), fc.constantFrom(undefined, ...hostileValues));
  return fc
    .array(change, { minLength: 1, maxLength: 5 })
    .map((changes) => changes.reduce((made, [path, by]) => replaced(made, path, by) ?? null, payload));
};
