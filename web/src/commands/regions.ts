/** The regions of the page, for the key that cycles through them. */
const regions = [
  () => document.querySelector<HTMLElement>("nav[aria-label] a[aria-current], nav[aria-label] a"),
  () => document.querySelector<HTMLElement>('[role="feed"] article[tabindex="0"], main a, main button'),
  () => document.querySelector<HTMLElement>("main form textarea"),
  () => document.querySelector<HTMLElement>("aside button, aside a"),
];

const holders = ["nav", '[role="feed"]', "main form", "aside"];

export function nextRegion(): void {
  const now = holders.findIndex((holder) => document.activeElement?.closest(holder));
  for (let step = 1; step <= regions.length; step++) {
    const target = regions[(now + step) % regions.length]?.();
    if (!target || target.offsetParent === null) continue;
    target.focus();
    return;
  }
}
