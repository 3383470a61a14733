/** Finds the screen position of a caret in a field, by laying out a copy of its text off-screen. */

const copied = [
  "boxSizing",
  "inlineSize",
  "paddingBlockStart",
  "paddingInlineEnd",
  "paddingBlockEnd",
  "paddingInlineStart",
  "borderBlockStartWidth",
  "borderInlineEndWidth",
  "borderBlockEndWidth",
  "borderInlineStartWidth",
  "font",
  "letterSpacing",
  "lineHeight",
  "tabSize",
  "direction",
] as const;

export interface CaretPlace {
  /** Relative to the field's corner, with scrolling taken into account. */
  left: number;
  top: number;
  height: number;
}

export function caretPlace(field: HTMLTextAreaElement, index: number): CaretPlace {
  const copy = document.createElement("div");
  const style = getComputedStyle(field);
  for (const name of copied) copy.style[name] = style[name];
  Object.assign(copy.style, {
    position: "absolute",
    visibility: "hidden",
    whiteSpace: "pre-wrap",
    overflowWrap: "anywhere",
  });
  const mark = document.createElement("span");
  mark.textContent = "\u200B";
  copy.append(field.value.slice(0, index), mark, field.value.slice(index));
  field.after(copy);
  const { offsetLeft, offsetTop, offsetHeight } = mark;
  const place = {
    left: offsetLeft - field.scrollLeft,
    top: offsetTop - field.scrollTop,
    height: offsetHeight,
  };
  copy.remove();
  return place;
}
