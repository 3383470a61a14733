/**
 * Converts the HTML of highlight.js to the dialect's form of highlighted code: short class names, one span for a run of
 * the same class, no span across lines and none around plain text. The scopes of highlight.js nest; the innermost one
 * with a class wins.
 */

/** By highlight.js scope. An empty class means plain text, even inside a scope that has a class. */
const classOfScope: Record<string, string> = {
  addition: "gi",
  attr: "na",
  attribute: "na",
  built_in: "nb",
  bullet: "k",
  char: "se",
  code: "s",
  comment: "c",
  deletion: "gd",
  doctag: "cs",
  emphasis: "ge",
  formula: "s",
  keyword: "k",
  link: "s",
  literal: "kc",
  meta: "cp",
  "meta.prompt": "gp",
  name: "nt",
  number: "m",
  operator: "o",
  params: "",
  property: "n",
  punctuation: "p",
  quote: "ge",
  regexp: "sr",
  section: "gh",
  "selector-attr": "na",
  "selector-class": "nc",
  "selector-id": "nn",
  "selector-pseudo": "nd",
  "selector-tag": "nt",
  string: "s",
  strong: "gs",
  subst: "",
  symbol: "ss",
  tag: "p",
  "template-tag": "cp",
  "template-variable": "nv",
  title: "nf",
  "title.class": "nc",
  type: "kt",
  variable: "nv",
  "variable.constant": "no",
  "variable.language": "bp",
};

/** The class inside a span: `hljs-title class_ inherited_` is the scope title.class.inherited. */
function classInside(attribute: string, outside: string): string {
  // Code in an embedded language starts without a class.
  if (attribute.startsWith("language-")) return "";
  const scope = attribute
    .replace(/^hljs-/, "")
    .replaceAll("_ ", ".")
    .replace(" ", ".")
    .replace(/_$/, "");
  const [first = "", second = ""] = scope.split(".");
  return classOfScope[`${first}.${second}`] ?? classOfScope[first] ?? outside;
}

const piece = /<span class="([^"]*)">|<\/span>|\n|[^<\n]+/g;

export function toShortClasses(html: string): string {
  let result = "";
  let open = "";
  const stack: string[] = [];
  const change = (to: string): void => {
    if (to === open) return;
    if (open !== "") result += "</span>";
    if (to !== "") result += `<span class="${to}">`;
    open = to;
  };
  for (const { 0: text, 1: attribute } of html.matchAll(piece)) {
    const inside = stack.at(-1) ?? "";
    if (attribute !== undefined) stack.push(classInside(attribute, inside));
    else if (text === "</span>") stack.pop();
    else {
      change(text === "\n" ? "" : inside);
      result += text.replaceAll("&quot;", '"').replaceAll("&#x27;", "'");
    }
  }
  change("");
  return result;
}
