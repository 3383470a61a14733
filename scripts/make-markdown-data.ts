/**
 * Writes the data modules of the Markdown dialect from its reference tables: emoji names, languages of code blocks,
 * top-level domains. The tables are facts and the same input gives the same files, byte for byte.
 *
 * Each module holds one text with a line for each entry: compact, easy to compare, left alone by the formatter.
 */
import { readFileSync, writeFileSync } from "node:fs";

const tables = new URL("../../shared/reference/", import.meta.url);
const modules = new URL("../server/src/markdown/", import.meta.url);

interface EmojiTable {
  code_to_names: Record<string, string[]>;
  emoticon_conversions: Record<string, string>;
}

interface LanguageTable {
  tags: Record<string, string>;
}

interface DomainTable {
  tlds: string[];
}

const emoji = readTable("emoji-names.json") as EmojiTable; // as the reference describes it
writeModule("emoji-data.ts", [
  text("emojiNames", "A line for each emoji: its code, its canonical name, its other names.", emojiLines()),
  text(
    "emoticonNames",
    "A line for each emoticon: what is typed, and the name of the emoji it becomes.",
    emoticonLines(),
  ),
]);
writeModule("code-language-data.ts", [
  text("languageTags", "A line for each language: its canonical name, a tab, its tags.", languageLines()),
]);
writeModule("tlds.ts", [text("topLevelDomains", "A line for each top-level domain.", domainLines())]);

function emojiLines(): string[] {
  return Object.entries(emoji.code_to_names)
    .map(([code, names]) => [code, ...names].join(" "))
    .toSorted();
}

function emoticonLines(): string[] {
  return Object.entries(emoji.emoticon_conversions).map(([typed, name]) => `${typed} ${name.slice(1, -1)}`);
}

function languageLines(): string[] {
  const tagsOf = new Map<string, string[]>();
  const { tags: names } = readTable("code-language-names.json") as LanguageTable; // as the reference describes it
  for (const [tag, name] of Object.entries(names)) tagsOf.set(name, [...(tagsOf.get(name) ?? []), tag]);
  return [...tagsOf].map(([name, tags]) => `${name}\t${tags.toSorted().join(" ")}`).toSorted();
}

function domainLines(): string[] {
  const { tlds } = readTable("autolink-tlds.json") as DomainTable; // as the reference describes it
  return tlds.toSorted();
}

function readTable(name: string): unknown {
  return JSON.parse(readFileSync(new URL(name, tables), "utf8"));
}

function text(name: string, what: string, lines: string[]): string {
  if (lines.some((line) => /[`\\]|\$\{/.test(line))) throw new Error(`${name} holds what a template text cannot`);
  return `/** ${what} */\nexport const ${name} = \`\n${lines.join("\n")}\n\`;\n`;
}

function writeModule(name: string, texts: string[]): void {
  writeFileSync(
    new URL(name, modules),
    `// Written by scripts/make-markdown-data.ts; not to be edited.\n\n${texts.join("\n")}`,
  );
}
