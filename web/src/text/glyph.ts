/** The characters of an emoji code: hexadecimal code points, without the selector for color. */

const joiner = 0x20_0d;
const colour = "\uFE0F";
const textByDefault = /^\p{Emoji}(?<!\p{Emoji_Presentation})/u;

export function glyphOf(code: string): string | undefined {
  const points = code.split("-").map((part) => Number.parseInt(part, 16));
  if (points.some((point) => !(point > 0 && point <= 0x10_ff_ff))) return undefined;
  // In a keycap the selector comes before the frame; any other character that defaults to text has it at the end.
  return points
    .map((point, index) => {
      const character = String.fromCodePoint(point);
      const needsColour = point !== joiner && textByDefault.test(character) && points[index + 1] !== 0xfe_0f;
      return needsColour ? character + colour : character;
    })
    .join("");
}
