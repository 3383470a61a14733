import fc from "fast-check";
import { expect, test } from "vitest";
import { checkFullName } from "../../../people/users/full-name.ts";
import { toChannelName } from "../../../channels/name.ts";
import { channelName, fileName, personName } from "./stored-name.ts";

test.for([
  [["", "Ines Calder"], "Ines Calder"],
  [["<script>alert(1)</script>"], "<scriptalert(1)</script"],
  [["Kim|12"], "Kim"],
  [["\u202eesrever\u202c Nuri"], "esrever Nuri"],
  [["L".repeat(140)], "L".repeat(100)],
  [["", undefined, "***"], "U1"],
  [["林"], "林 U1"],
  [["林", "Lin"], "Lin"],
] as const)("the name of %j", ([candidates, name]) => {
  expect(personName(candidates, "U1")).toBe(name);
});

test("every name of a person and of a channel is one that the server allows", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 300 }),
    fc.string({ maxLength: 8 }).map((end) => `Kim|12${end}`),
  );
  fc.assert(
    fc.property(text, (given) => {
      const person = personName([given], "U12345");
      expect(checkFullName(person)).toBe(person);
      const channel = channelName(given, "C12345");
      expect(toChannelName(channel)).toBe(channel);
    }),
  );
});

test.for([
  ["../../etc/passwd", "passwd"],
  ["C:\\a\\b.txt", "b.txt"],
  ["tide nötes.txt", "tide nötes.txt"],
  ["..", "F1"],
  ["", "F1"],
])("the file %j", ([given = "", name]) => {
  expect(fileName([given], "F1")).toBe(name);
});
