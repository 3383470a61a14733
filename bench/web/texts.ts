/** What people write, in realistic proportions: mostly plain sentences, sometimes everything else. */
import { renderMarkdown } from "../../server/src/markdown/render.ts";
import { sentences } from "../history/text.ts";

export interface Text {
  text: string;
  html: string;
}

const richKinds: ((sentence: string) => string)[] = [
  (sentence) => `${sentence} See https://example.com/builds/4711 and **the second line** of \`config.toml\`.`,
  (sentence) => `@**Somebody|1** ${sentence} :tada:`,
  (sentence) => `Three things:\n\n* ${sentence}\n* and *another*\n* the last`,
  (sentence) => `> ${sentence}\n\nI agree.`,
  (sentence) => `${sentence}\n\n\`\`\`\nconst answer = 42;\nprint(answer)\nreturn answer\n\`\`\``,
  (sentence) => `${sentence}\n\n1. first\n2. second\n\nMore in #**channel>topic** <time:2026-03-05T10:00:00Z>.`,
  (sentence) => `name | value\n--|--\none | 1\ntwo | 2\n\n${sentence}`,
];

/** Every fourth has some markup; of the others every fifth is long. */
export function makeTexts(count: number): Text[] {
  const words = sentences(count + 3);
  const context = {
    realmUrl: "http://127.0.0.1",
    users: [{ user_id: 1, full_name: "Somebody" }],
    channels: [{ stream_id: 1, name: "channel" }],
  };
  return Array.from({ length: count }, (_, index) => {
    const sentence = words[index] ?? "";
    const rich = richKinds[Math.floor(index / 4) % richKinds.length];
    const plain = index % 5 === 1 ? words.slice(index, index + 4).join(" ") : sentence;
    const text = index % 4 === 3 && rich ? rich(sentence) : plain;
    return { text, html: renderMarkdown(text, context).html };
  });
}
