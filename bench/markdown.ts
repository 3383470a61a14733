/**
 * How long rendering takes, compared with markdown-it in the same process: its default preset without raw HTML. Rounds
 * of both alternate, so that a busy machine slows both alike; the ratio is that of the medians.
 */
import MarkdownIt from "markdown-it";
import { compileLinkifier } from "../server/src/domain/organization/linkifiers/compile.ts";
import type { MarkdownContext } from "../server/src/markdown/context.ts";
import { renderMarkdown } from "../server/src/markdown/render.ts";
import { figure, median, spread } from "./statistics.ts";

const rounds = 31;
const timePerRound = 20;

interface Sample {
  name: string;
  texts: string[];
  context: MarkdownContext;
  /** The maximum ratio. */
  bar: number;
}

const everything = `# Release *notes*

Hello @**King Hamlet**, see #**Denmark>some topic** and \`git status\`, **today** or ~~tomorrow~~ at <time:2024-03-05T10:00:00Z>.
More on https://example.com/a/b?c=d, [the wiki](https://example.org/wiki "Wiki") and #4711 :tada: &copy; ☕

* first *item*
* second item
  * nested with \`code\`

1. one
2. two

> quoted **text**
> and more

\`\`\`
const answer = 42;
\`\`\`

a | b
--|--
1 | 2

---

The end.`;

const samples: Sample[] = [
  {
    name: "short, without markup",
    texts: [
      "Sounds good, see you tomorrow!",
      "I think we should wait for the review before we merge this.",
      "Yes",
      "Can somebody have a look at the build? It fails since this morning, and I don't know why.",
    ],
    context: {},
    bar: 0.5,
  },
  {
    name: "short, without markup, with everything switched on",
    texts: [
      "Sounds good, see you tomorrow!",
      "I think we should wait for the review before we merge this.",
      "Yes",
      "Can somebody have a look at the build? It fails since this morning, and I don't know why.",
    ],
    context: {
      alertWords: new Map([
        [1, ["deploy", "outage"]],
        [2, ["hamlet"]],
      ]),
      translateEmoticons: true,
    },
    bar: 0.5,
  },
  {
    name: "with every kind of markup",
    texts: [everything],
    context: {
      realmUrl: "https://chat.example.com",
      users: [{ user_id: 10, full_name: "King Hamlet" }],
      channels: [{ stream_id: 3, name: "Denmark" }],
      linkifiers: [compileLinkifier({ pattern: "#(?P<id>[0-9]+)", url_template: "https://trac.example.com/{id}" })],
      translateEmoticons: true,
    },
    bar: 4,
  },
];

const markdownIt = new MarkdownIt({ html: false });

/** Microseconds per text, averaged over a round. */
function timeOf(render: (text: string) => unknown, texts: readonly string[]): number {
  const start = performance.now();
  let count = 0;
  while (performance.now() - start < timePerRound) {
    for (let repetition = 0; repetition < 20; repetition++) for (const text of texts) render(text);
    count += 20 * texts.length;
  }
  return ((performance.now() - start) * 1000) / count;
}

let isReached = true;
for (const { name, texts, context, bar } of samples) {
  const ours: number[] = [];
  const theirs: number[] = [];
  const render = (text: string): unknown => renderMarkdown(text, context);
  const compare = (text: string): unknown => markdownIt.render(text);
  for (let warmUp = 0; warmUp < 5; warmUp++) {
    timeOf(render, texts);
    timeOf(compare, texts);
  }
  for (let round = 0; round < rounds; round++) {
    ours.push(timeOf(render, texts));
    theirs.push(timeOf(compare, texts));
  }
  const ratio = median(ours) / median(theirs);
  isReached &&= ratio <= bar;
  console.log(
    `${name}: ${figure(median(ours))} µs (${spread(ours)}), markdown-it ${figure(median(theirs))} µs ` +
      `(${spread(theirs)}), ratio ${figure(ratio)}, at most ${bar}`,
  );
}
process.exitCode = isReached ? 0 : 1;
