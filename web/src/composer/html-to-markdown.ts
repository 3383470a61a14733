/** Converts pasted rich text, or one of our messages, to Markdown. */

export function toMarkdown(root: ParentNode): string {
  return blocks(root)
    .replaceAll(/[ \t]+\n/g, "\n")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
}

const blockNames = new Set(
  (
    "address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 " +
    "h6 header hr html li main nav ol p pre section table tbody tfoot thead tr ul"
  ).split(" "),
);
const unseen = new Set("head meta style script title link template noscript button input select textarea".split(" "));

const anyBlock = [...blockNames].join(",");

/** Includes inline elements that contain blocks: whole documents may come in a `b` or `span`. */
const isBlock = (node: Node, name: string): boolean =>
  blockNames.has(name) || (node instanceof Element && node.querySelector(anyBlock) !== null);

const nameOf = (node: Node): string => (node instanceof Element ? node.localName : "");

/** Runs of inline nodes between blocks become paragraphs. */
function blocks(parent: ParentNode | Element): string {
  const pieces: string[] = [];
  let line = "";
  const endLine = (): void => {
    const text = line.replaceAll(/[ \t]*\n[ \t]*/g, "\n").trim();
    if (text !== "") pieces.push(text);
    line = "";
  };
  for (const node of parent.childNodes) {
    const name = nameOf(node);
    if (unseen.has(name)) continue;
    if (!isBlock(node, name)) {
      line += inline(node);
      continue;
    }
    endLine();
    const text = block(node as Element, name); // it has a tag name, so it is an element
    if (text !== "") pieces.push(text);
  }
  endLine();
  const isTight = parent instanceof Element && parent.localName === "li";
  return pieces.join(isTight ? "\n" : "\n\n");
}

function block(element: Element, name: string): string {
  if (/^h[1-6]$/.test(name)) return `${"#".repeat(Number(name[1]))} ${inlines(element).trim()}`;
  if (name === "hr") return "---";
  if (name === "pre" || element.classList.contains("codehilite")) return codeBlock(element);
  if (name === "blockquote") return quote(element);
  if (name === "ul" || name === "ol") return list(element, name === "ol");
  if (name === "table") return table(element);
  return blocks(element);
}

function codeBlock(element: Element): string {
  const code = (element.querySelector("code") ?? element).textContent.replace(/^\n+|\s+$/g, "");
  const language =
    element.getAttribute("data-code-language")?.toLowerCase() ??
    /\blanguage-([\w+#-]+)/.exec(element.querySelector("code")?.className ?? element.className)?.[1] ??
    "";
  const longest = Math.max(2, ...Array.from(code.matchAll(/`{3,}/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${code}\n${fence}`;
}

function quote(element: Element): string {
  const lines = blocks(element).trim().split("\n");
  return lines.map((each) => (each === "" ? ">" : `> ${each}`)).join("\n");
}

function list(element: Element, isOrdered: boolean): string {
  let number = Number(element.getAttribute("start") ?? 1);
  const items = [...element.children].flatMap((item) => {
    // Some pages put a nested list next to the item it belongs to.
    if (item.localName === "ul" || item.localName === "ol") return [indented(list(item, item.localName === "ol"))];
    const sign = isOrdered ? `${number++}. ` : "* ";
    const [first = "", ...rest] = blocks(item).trim().split("\n");
    return [[sign + first, ...rest.map((each) => (each === "" ? "" : `  ${each}`))].join("\n")];
  });
  return items.join("\n");
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "  ");

function table(element: Element): string {
  const rows = [...element.querySelectorAll("tr")].map((row) =>
    [...row.children].map((cell) =>
      inlines(cell)
        .replaceAll(/\s*\n\s*/g, " ")
        .replaceAll("|", String.raw`\|`)
        .trim(),
    ),
  );
  const [head = [], ...body] = rows;
  // A layout table is not a real table.
  if (head.length < 2) return rows.flat().join("\n\n");
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...body.map(line)].join("\n");
}

const inlines = (parent: Element): string => Array.from(parent.childNodes, (node) => inline(node)).join("");

const marks: Record<string, string> = { b: "**", strong: "**", i: "*", em: "*", s: "~~", del: "~~", strike: "~~" };

function inline(node: Node): string {
  if (node.nodeType === 3) return spaced(node.textContent ?? "");
  if (!(node instanceof Element) || unseen.has(node.localName)) return "";
  const { localName: name } = node;
  if (name === "br") return "\n";
  if (name === "img") return node.classList.contains("emoji") ? (node.getAttribute("alt") ?? "") : "";
  if (node.classList.contains("emoji")) return node.textContent;
  if (node.classList.contains("katex")) return `$$${node.querySelector("annotation")?.textContent ?? ""}$$`;
  const reference = ours(node);
  if (reference !== undefined) return reference;
  const inner = blockNames.has(name) ? blocks(node) : inlines(node);
  if (name === "a") return anchor(node, inner);
  if (name === "code" || name === "kbd" || name === "tt")
    return wrap(node.textContent, node.textContent.includes("`") ? "``" : "`");
  const mark = styleMark(node) ?? marks[name];
  return mark === undefined || mark === "" ? inner : wrap(inner, mark);
}

/** Converts mentions and links in our own messages back to their syntax. */
function ours(element: Element): string | undefined {
  const { classList, textContent: shown } = element;
  const silent = classList.contains("silent") ? "_" : "";
  const name = shown.replace(/^@/, "");
  if (classList.contains("user-mention") || classList.contains("topic-mention")) return `@${silent}**${name}**`;
  if (classList.contains("user-group-mention")) return `@${silent}*${name}*`;
  if (classList.contains("stream")) return `#**${shown.replace(/^#/, "")}**`;
  if (classList.contains("stream-topic")) return `#**${shown.replace(/^#/, "").replace(" > ", ">")}**`;
  if (element.localName === "time" && element.hasAttribute("datetime"))
    return `<time:${element.getAttribute("datetime")}>`;
  return undefined;
}

/** Web editors express bold by font weight; a whole pasted document may be in a `b` of normal weight. */
function styleMark(element: Element): string | undefined {
  const style = element.getAttribute("style") ?? "";
  if (/font-weight:\s*(?:bold|[6-9]00)/.test(style)) return "**";
  if (/font-weight:\s*(?:normal|400)/.test(style)) return "";
  return /font-style:\s*italic/.test(style) ? "*" : undefined;
}

function wrap(inner: string, mark: string): string {
  const bare = inner.trim();
  if (bare === "" || bare.includes("\n")) return inner;
  const [lead = "", trail = ""] = [/^\s*/.exec(inner)?.[0], /\s*$/.exec(inner)?.[0]];
  return lead + mark + bare + mark + trail;
}

function anchor(element: Element, inner: string): string {
  const href = element.getAttribute("href") ?? "";
  const words = inner.trim();
  if (!/^(?:https?:|mailto:)/.test(href) || words === "") return inner;
  if (words === href || words === href.replace(/^mailto:|\/$/g, "") || `${words}/` === href) return words;
  return `[${words.replaceAll("\n", " ")}](${href})`;
}

const spaced = (content: string): string => content.replaceAll(/[\s\u00A0]+/g, " ");
