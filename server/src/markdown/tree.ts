/**
 * The tree between text and HTML. As in ElementTree, text is not a node: an element has the text before its first child,
 * and each child has the text that follows it (`tail`). The rules of the dialect are defined in these terms.
 */
export class Element {
  readonly tag: string;
  attributes: Readonly<Record<string, string>> | undefined;
  /** Before the first child. */
  text: string;
  /** Inline patterns skip the text. */
  isFinal: boolean;
  children: Element[] = [];
  /** The text after the end tag. */
  tail = "";
  isTailFinal = false;

  constructor(tag: string, text = "", isFinal = false, attributes?: Readonly<Record<string, string>>) {
    this.tag = tag;
    this.text = text;
    this.isFinal = isFinal;
    this.attributes = attributes;
  }

  append(child: Element): Element {
    this.children.push(child);
    return child;
  }

  get lastChild(): Element | undefined {
    return this.children.at(-1);
  }
}

/** An inline element with nothing left to process inside. */
export const finalElement = (tag: string, text: string, attributes?: Readonly<Record<string, string>>): Element =>
  new Element(tag, text, true, attributes);

const blockTags: ReadonlySet<string> = new Set(
  "blockquote div h1 h2 h3 h4 h5 h6 hr li math ol p pre table tbody td tfoot th thead tr ul video".split(" "),
);

export const isBlockTag = (tag: string): boolean => blockTags.has(tag);

export const isList = (element: Element | undefined): element is Element =>
  element !== undefined && (element.tag === "ul" || element.tag === "ol");
