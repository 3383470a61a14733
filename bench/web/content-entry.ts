/** The processing of a message's HTML by its row (content/message-content.tsx), as one function. */
import { enhance } from "../../web/src/content/enhance.ts";
import { toFragment } from "../../web/src/content/insert.ts";

const reader = { isMe: () => false, isMyGroup: () => false, nameOf: () => undefined };

export function insert(html: string, content: HTMLElement): void {
  const fragment = toFragment(html);
  enhance(fragment, reader);
  content.replaceChildren(fragment);
}
