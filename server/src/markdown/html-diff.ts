/**
 * Shows in a message's HTML what an edit changed. The comparison is word by word, and tags go with their words. Tags come
 * from the new version, except inside deletions; highlighting is placed inside blocks, never around them.
 */
import { innerHtml, isElement, parseHtml, type HtmlElement, type HtmlNode } from "./html-tree.ts";
import { htmlWords, type Chunk, type HtmlWord } from "./html-words.ts";
import { matchingBlocks, type Block } from "./matching-blocks.ts";

/** Of both versions together; more takes too long to parse, compare and parse again. */
const maxComparedLength = 150_000;

export function contentHtmlDiff(before: string, after: string): string {
  if (before.length + after.length > maxComparedLength) return replacement(before, after);
  const root = parseHtml(compare(htmlWords(before), htmlWords(after)).trim());
  moveMarksInside(root);
  return `<div>${innerHtml(root)}</div>`;
}

const marks = {
  ins: '<span class="highlight_text_inserted">',
  del: '<span class="highlight_text_deleted">',
} as const;

/** Shows everything as replaced. */
const replacement = (before: string, after: string): string =>
  `<div><div class="highlight_text_inserted">${after}</div><div class="highlight_text_deleted">${before}</div></div>`;

/** A deletion stays a part of its own until everything after it is known. */
type Part = Chunk | { kind: "deletion"; chunks: Chunk[] };

function compare(before: HtmlWord[], after: HtmlWord[]): string {
  const parts: Part[] = [];
  let old = 0;
  let current = 0;
  for (const block of [...longBlocks(before, after), { old: before.length, new: after.length, size: 0 }]) {
    if (current < block.new) parts.push(...insertion(after.slice(current, block.new), parts.at(-1)));
    if (old < block.old) parts.push({ kind: "deletion", chunks: before.slice(old, block.old).flatMap(chunksOf) });
    old = block.old + block.size;
    current = block.new + block.size;
    parts.push(...after.slice(block.new, current).flatMap((word) => (word.isHidden ? tagsOf(word) : chunksOf(word))));
  }
  return placeDeletions(parts)
    .map(({ html }) => html)
    .join("");
}

/** A few equal words between changes make a diff hard to read, so they count as changed. */
function longBlocks(before: HtmlWord[], after: HtmlWord[]): Block[] {
  const threshold = Math.min(2, after.length / 4);
  const blocks = matchingBlocks(
    before.map(({ text }) => text),
    after.map(({ text }) => text),
  );
  return blocks.filter(({ size }) => size > threshold);
}

const shown = (html: string): Chunk => ({ kind: "shown", name: "", html });
const tagsOf = (word: HtmlWord): Chunk[] => [...word.before, ...word.after];
const chunksOf = (word: HtmlWord): Chunk[] => [...word.before, shown(word.html + word.space), ...word.after];

function insertion(words: HtmlWord[], previous: Part | undefined): Chunk[] {
  const { starts, balanced, ends } = splitUnbalanced(words.flatMap(chunksOf));
  addSpace(starts.at(-1) ?? previous);
  return [...starts, ...marked("ins", balanced), ...ends];
}

function addSpace(part: Part | undefined): void {
  if (part && part.kind !== "deletion" && !part.html.endsWith(" ")) part.html += " ";
}

/** The space after the last word moves behind the closing tag. */
function marked(name: "ins" | "del", chunks: Chunk[]): Chunk[] {
  const last = chunks.at(-1);
  const inside = last ? [...chunks.slice(0, -1), { ...last, html: last.html.replace(/ $/, "") }] : [];
  return [{ kind: "start", name, html: `<${name}>` }, ...inside, { kind: "end", name, html: `</${name}> ` }];
}

interface Split {
  /** Start tags whose end tag is not among the chunks; `ends` is the reverse. */
  starts: Chunk[];
  balanced: Chunk[];
  ends: Chunk[];
}

function splitUnbalanced(chunks: Chunk[]): Split {
  const starts: Chunk[] = [];
  const ends: Chunk[] = [];
  const open: Chunk[] = [];
  for (const chunk of chunks) {
    if (chunk.kind === "start") open.push(chunk);
    if (chunk.kind !== "end") continue;
    if (open.at(-1)?.name === chunk.name) open.pop();
    else {
      starts.push(...open.splice(0));
      ends.push(chunk);
    }
  }
  starts.push(...open);
  const apart = new Set([...starts, ...ends]);
  return { starts, balanced: chunks.filter((chunk) => !apart.has(chunk)), ends };
}

/**
 * Puts deletions in place, first to last. Tags that open or close only inside a deletion disappear with it, unless the
 * new version has the same tag right there; then the deletion moves inside that element.
 */
function placeDeletions(parts: Part[]): Chunk[] {
  const done: Chunk[] = [];
  const rest = parts.toReversed();
  for (let part = rest.pop(); part; part = rest.pop()) {
    if (part.kind !== "deletion") {
      done.push(part);
      continue;
    }
    const { starts, balanced, ends } = splitUnbalanced(part.chunks);
    for (const start of starts) {
      const next = rest.at(-1);
      if (next?.kind !== "start" || next.name !== start.name) break;
      rest.pop();
      done.push(next);
    }
    for (const end of ends.toReversed()) {
      const previous = done.at(-1);
      if (previous?.kind !== "end" || previous.name !== end.name) break;
      done.pop();
      rest.push(previous);
    }
    addSpace(done.at(-1));
    done.push(...marked("del", balanced));
  }
  return done;
}

const blockElements: ReadonlySet<string> = new Set(
  (
    "address article aside blockquote center dd dir div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li " +
    "main menu nav ol p pre section table tbody td tfoot th thead tr ul"
  ).split(" "),
);

const holdsBlock = (node: HtmlNode): boolean =>
  isElement(node) && (blockElements.has(node.name) || node.children.some(holdsBlock));

function moveMarksInside(parent: HtmlElement): void {
  parent.children = parent.children.flatMap((node) => {
    if (!isElement(node)) return [node];
    if (node.name !== "ins" && node.name !== "del") {
      moveMarksInside(node);
      return [node];
    }
    const mark = marks[node.name];
    return node.children.some(holdsBlock)
      ? node.children.map((child) => markedNode(child, mark))
      : [wrap(node.children, mark)];
  });
}

const wrap = (children: HtmlNode[], startTag: string): HtmlElement => ({ name: "span", startTag, children });

function markedNode(node: HtmlNode, mark: string): HtmlNode {
  if (!isElement(node) || !holdsBlock(node)) return wrap([node], mark);
  const children = node.children.some(holdsBlock)
    ? node.children.map((child) => markedNode(child, mark))
    : [wrap(node.children, mark)];
  return { ...node, children };
}
