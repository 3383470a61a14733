/** Decides where a preview goes, and whether it replaces its link. */
import { decodeEntities } from "../entities.ts";
import type { Element } from "../tree.ts";
import type { FoundLink } from "./found-links.ts";

const previewClasses = ["message_inline_image", "message_inline_ref"];

function isPreviewOf(element: Element | undefined, hrefs: ReadonlySet<string>): boolean {
  const classes = element?.tag === "div" ? element.attributes?.["class"]?.split(" ") : undefined;
  if (classes === undefined || !previewClasses.some((name) => classes.includes(name))) return false;
  return hrefs.has(element?.children[0]?.attributes?.["href"] ?? "");
}

function hrefsIn(element: Element): string[] {
  return element.children.flatMap((child) => [
    ...(child.tag === "a" ? [child.attributes?.["href"] ?? ""] : []),
    ...hrefsIn(child),
  ]);
}

/** After the paragraph and the previews of its earlier links. */
function placeAfterParagraph(grandparent: Element, paragraph: Element, preview: Element): void {
  const hrefs = new Set(hrefsIn(paragraph));
  let index = grandparent.children.indexOf(paragraph) + 1;
  while (isPreviewOf(grandparent.children[index], hrefs)) index++;
  grandparent.children.splice(index, 0, preview);
}

const remove = (parent: Element, child: Element): void => {
  parent.children = parent.children.filter((each) => each !== child);
};

/** Whether the link's text is its URL, so that the text adds nothing to a preview. */
export const isBare = ({ href, text }: FoundLink): boolean => text === href || decodeEntities(text) === href;

/** Adds the preview to the list item, after the paragraph, or at the end of the message. */
export function placeBeside(root: Element, found: FoundLink, preview: Element): void {
  const { parent, grandparent } = found;
  if (parent.tag === "li") parent.append(preview);
  else if (parent.tag === "p" && grandparent !== undefined) placeAfterParagraph(grandparent, parent, preview);
  else root.append(preview);
}

/** Like `placeBeside`, but removes a bare URL that is alone in its paragraph or list item. */
export function placeInstead(root: Element, found: FoundLink, preview: Element): void {
  placeBeside(root, found, preview);
  const { link, parent, grandparent } = found;
  if (!isBare(found) || link.tail.trim() !== "") return;
  if (parent.tag === "li" && parent.text === "") remove(parent, link);
  const isAlone = parent.children.length === 1 && parent.text.trim() === "";
  if (parent.tag === "p" && grandparent !== undefined && isAlone) remove(grandparent, parent);
}

/** The title of a preview: the link's text, unless that is the URL. */
export const titleOf = (found: FoundLink): string | undefined => (isBare(found) ? undefined : found.text);
