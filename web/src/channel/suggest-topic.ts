/** Suggests a topic for a text: its first words, without Markdown syntax. */
const maxWords = 5;
const longest = 48;

export function suggestTopic(text: string): string {
  // A line that is only a link shows where it comes from, not what it is about.
  const line = text.split("\n").find((each) => each.replaceAll(/\[[^\]]*\]\([^)]*\)/g, "").trim() !== "") ?? "";
  const words = line
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/@_?\*\*([^*|]+)(?:\|\d+)?\*\*/g, "$1")
    .replaceAll(/#\*\*([^*>]+)(?:>[^*]*)?\*\*/g, "$1")
    .replaceAll(/https?:\/\/\S+/g, "")
    .replaceAll(/[`*_~>#]+/g, "")
    .split(/\s+/)
    .filter(Boolean);
  let name = "";
  for (const word of words.slice(0, maxWords)) {
    if (name.length + word.length + 1 > longest) break;
    name = name === "" ? word : `${name} ${word}`;
  }
  return name.replace(/[.,:;!?]+$/, "");
}
