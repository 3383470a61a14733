/** An icon for code outside components. */
import type { IconName } from "./icon-names.ts";
import sprite from "./icons.svg?no-inline";

const namespace = "http://www.w3.org/2000/svg";

export function iconElement(name: IconName): SVGElement {
  const svg = document.createElementNS(namespace, "svg");
  const use = document.createElementNS(namespace, "use");
  use.setAttribute("href", `${sprite}#${name}`);
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon");
  svg.append(use);
  return svg;
}
