/** Puts elements in the top layer. Browsers without popovers show them in place. */

export function showOnTop(element: HTMLElement, source?: HTMLElement | null): void {
  if (!("showPopover" in HTMLElement.prototype) || element.matches(":popover-open")) return;
  element.showPopover(source ? { source } : undefined);
}

export function hideFromTop(element: HTMLElement): void {
  if ("hidePopover" in HTMLElement.prototype && element.matches(":popover-open")) element.hidePopover();
}
