/** A message's content: the server's HTML, adapted to the reader. */
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { classes } from "../ui/classes.ts";
import "./content.css";
import { enhance } from "./enhance.ts";
import { toFragment } from "./insert.ts";
import { press } from "./press.ts";
import { ContentReader } from "./reader.ts";

interface MessageContentProps {
  html: string;
  id?: string | undefined;
  class?: string | undefined;
}

export function MessageContent({ html, id, class: className }: MessageContentProps) {
  const root = useRef<HTMLDivElement>(null);
  const reader = useContext(ContentReader);
  useLayoutEffect(() => {
    const fragment = toFragment(html);
    enhance(fragment, reader);
    root.current?.replaceChildren(fragment);
  }, [html, reader]);
  return (
    <div
      ref={root}
      id={id}
      dir="auto"
      class={classes("content", className)}
      onClick={(event) => press(event, reader)}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") press(event, reader);
      }}
    />
  );
}
