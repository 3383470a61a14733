/** A text with elements as values: `<Rich text="hint.topic" values={{ topic: <b>logo</b> }} />`. */
import type { ComponentChildren } from "preact";
import { textOf, type TextKey } from "./t.ts";

interface RichProps {
  text: TextKey;
  values: Record<string, ComponentChildren>;
  /** Selects the plural form, as in `t()`. */
  count?: number;
}

export function Rich({ text, values, count }: RichProps) {
  const pieces = textOf(text, count === undefined ? undefined : { count }).split(/\{(\w+)\}/);
  // Every second piece is the name of a placeholder.
  return <>{pieces.map((piece, index) => (index % 2 === 0 ? piece : (values[piece] ?? count)))}</>;
}
