/**
 * Formulas in the browser's own MathML, which supports neither alphabets by attribute nor column alignment lists. Both are
 * added here: letters become Unicode mathematical letters, and cells get their alignment.
 */

/** Where an alphabet's uppercase letters, lowercase letters and digits start. */
const alphabets: Record<string, readonly [capital: number, small: number, digit?: number]> = {
  bold: [0x1_d4_00, 0x1_d4_1a, 0x1_d7_ce],
  italic: [0x1_d4_34, 0x1_d4_4e],
  "bold-italic": [0x1_d4_68, 0x1_d4_82],
  script: [0x1_d4_9c, 0x1_d4_b6],
  fraktur: [0x1_d5_04, 0x1_d5_1e],
  "double-struck": [0x1_d5_38, 0x1_d5_52, 0x1_d7_d8],
  "sans-serif": [0x1_d5_a0, 0x1_d5_ba, 0x1_d7_e2],
  monospace: [0x1_d6_70, 0x1_d6_8a, 0x1_d7_f6],
};

/** Letters that were in Unicode before the alphabets. */
const elsewhere: Record<string, Readonly<Record<string, string>>> = {
  italic: { h: "ℎ" },
  script: { B: "ℬ", E: "ℰ", F: "ℱ", H: "ℋ", I: "ℐ", L: "ℒ", M: "ℳ", R: "ℛ", e: "ℯ", g: "ℊ", o: "ℴ" },
  fraktur: { C: "ℭ", H: "ℌ", I: "ℑ", R: "ℜ", Z: "ℨ" },
  "double-struck": { C: "ℂ", H: "ℍ", N: "ℕ", P: "ℙ", Q: "ℚ", R: "ℝ", Z: "ℤ" },
};

export function inAlphabet(text: string, name: string): string {
  const alphabet = alphabets[name];
  if (alphabet === undefined) return text;
  const [capital, small, digit] = alphabet;
  return Array.from(text, (letter) => {
    const known = elsewhere[name]?.[letter];
    if (known !== undefined) return known;
    if (letter >= "A" && letter <= "Z") return String.fromCodePoint(capital + letter.charCodeAt(0) - 65);
    if (letter >= "a" && letter <= "z") return String.fromCodePoint(small + letter.charCodeAt(0) - 97);
    if (digit !== undefined && letter >= "0" && letter <= "9") return String.fromCodePoint(digit + Number(letter));
    return letter;
  }).join("");
}

export function improveMath(root: ParentNode): void {
  for (const element of root.querySelectorAll("[mathvariant]")) {
    const name = element.getAttribute("mathvariant") ?? "";
    if (name in alphabets && element.childElementCount === 0)
      element.textContent = inAlphabet(element.textContent, name);
  }
  for (const table of root.querySelectorAll("mtable")) alignCells(table);
}

/** A list attribute; its last word applies to all that follow. */
function listOf(table: Element, name: string): (index: number) => string {
  const words = table.getAttribute(name)?.split(/\s+/) ?? [];
  return (index) => words[index] ?? words.at(-1) ?? "";
}

function alignCells(table: Element): void {
  const alignment = listOf(table, "columnalign");
  const spacing = listOf(table, "columnspacing");
  for (const row of table.children) {
    for (const [index, cell] of [...row.children].entries()) {
      const { style } = cell as MathMLElement; // MathML has no other elements there
      style.textAlign = alignment(index);
      if (!table.hasAttribute("columnspacing")) continue;
      style.paddingInline = `${index === 0 ? "0" : spacing(index - 1)} 0`;
    }
  }
}
