/** Spoilers: collapsed, with a button that shows their state. */
import { t } from "../text/t.ts";
import { iconElement } from "../ui/icon-element.ts";

let count = 0;

export function foldSpoilers(root: ParentNode): void {
  for (const block of root.querySelectorAll(".spoiler-block")) {
    const header = block.querySelector<HTMLElement>(":scope > .spoiler-header");
    const content = block.querySelector<HTMLElement>(":scope > .spoiler-content");
    if (header === null || content === null) continue;
    if (header.textContent.trim() === "") header.textContent = t("content.spoiler");
    content.id = `spoiler-${++count}`;
    content.removeAttribute("aria-hidden");
    content.hidden = true;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "spoiler-button";
    button.setAttribute("aria-controls", content.id);
    button.append(iconElement("chevron-right"));
    header.prepend(button);
    setExpanded(button, false);
  }
}

export function toggleSpoiler(header: Element): void {
  const button = header.querySelector<HTMLElement>(".spoiler-button");
  const content = header.parentElement?.querySelector<HTMLElement>(":scope > .spoiler-content");
  if (!button || !content) return;
  content.hidden = !content.hidden;
  setExpanded(button, !content.hidden);
}

function setExpanded(button: HTMLElement, isOpen: boolean): void {
  button.setAttribute("aria-expanded", String(isOpen));
  button.setAttribute("aria-label", t(isOpen ? "content.hideSpoiler" : "content.showSpoiler"));
}
