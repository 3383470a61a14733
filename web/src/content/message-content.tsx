/** A message's content: the server's HTML, made fit for the one who reads it. */
import { useContext, useLayoutEffect, useRef, useState } from "preact/hooks";
import { classes } from "../ui/classes.ts";
import "./content.css";
import { enhance } from "./enhance.ts";
import { canInsert, insertReady, toFragment } from "./insert.ts";
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
  const [isReady, setReady] = useState(canInsert);
  useLayoutEffect(() => {
    if (!isReady) {
      void insertReady.then(() => setReady(true));
      return;
    }
    const fragment = toFragment(html);
    enhance(fragment, reader);
    root.current?.replaceChildren(fragment);
  }, [html, reader, isReady]);
  return (
    <div
      ref={root}
      id={id}
      class={classes("content", className)}
      onClick={(event) => press(event, reader)}
      onKeyDown={(event) => {
        if (event.key === "Enter" || event.key === " ") press(event, reader);
      }}
    />
  );
}
