/** A name for what is being written: its first words, without the signs of Markdown. */
const mostWords = 5;
const longest = 48;

export function suggestTopic(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  const words = line
    .replaceAll(/@_?\*\*([^*|]+)(?:\|\d+)?\*\*/g, "$1")
    .replaceAll(/#\*\*([^*>]+)(?:>[^*]*)?\*\*/g, "$1")
    .replaceAll(/https?:\/\/\S+/g, "")
    .replaceAll(/[`*_~>#]+/g, "")
    .split(/\s+/)
    .filter(Boolean);
  let name = "";
  for (const word of words.slice(0, mostWords)) {
    if (name.length + word.length + 1 > longest) break;
    name = name === "" ? word : `${name} ${word}`;
  }
  return name.replace(/[.,:;!?]+$/, "");
}
