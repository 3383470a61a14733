/**
 * Splits SQL text into statements and words, as far as migrations need it: comments, quoted texts and names, and
 * dollar-quoted bodies of functions. (`begin atomic` bodies are not supported.)
 */

const token =
  /--[^\n]*|\/\*[\s\S]*?\*\/|[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|[\w.]+|\s+|[\s\S]/g;

/** The statements without comments, each without its semicolon. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let current = "";
  for (const [text] of sql.matchAll(token)) {
    if (text === ";") {
      statements.push(current);
      current = "";
    } else if (!isComment(text)) current += text;
  }
  return [...statements, current].map((statement) => statement.trim()).filter((statement) => statement !== "");
}

const isComment = (text: string) => text.startsWith("--") || text.startsWith("/*");

/** Lowercase words and signs without white space; quoted texts and names as they are. */
export function wordsOf(statement: string): string[] {
  return Array.from(statement.matchAll(token), ([text]) => text)
    .filter((text) => text.trim() !== "" && !isComment(text))
    .map((text) => (/^["'$]/.test(text) ? text : text.toLowerCase()));
}

/** Splits words at commas outside of parentheses. */
export function splitAtCommas(words: string[]): string[][] {
  const groups: string[][] = [[]];
  let depth = 0;
  for (const word of words) {
    if (word === "(" || word === "[") depth++;
    if (word === ")" || word === "]") depth--;
    if (word === "," && depth === 0) groups.push([]);
    else groups.at(-1)?.push(word);
  }
  return groups;
}
