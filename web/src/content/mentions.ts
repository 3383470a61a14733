/** Mentions: people by their current name, the reader's own highlighted, everyone's profile one click away. */
import type { Reader } from "./reader.ts";

export function personalizeMentions(root: ParentNode, reader: Reader): void {
  for (const mention of root.querySelectorAll<HTMLElement>(".user-mention, .user-group-mention, .topic-mention")) {
    const isSilent = mention.classList.contains("silent");
    const { userId, userGroupId } = mention.dataset;
    const id = Number(userId);
    if (Number.isSafeInteger(id) && userId !== undefined) nameUser(mention, id, isSilent, reader);
    const isMine =
      userGroupId !== undefined
        ? reader.isMyGroup(Number(userGroupId))
        : userId === undefined || userId === "*" || reader.isMe(id);
    if (isMine && !isSilent) mention.classList.add("mine");
  }
}

function nameUser(mention: HTMLElement, id: number, isSilent: boolean, reader: Reader): void {
  const name = reader.nameOf(id);
  if (name !== undefined) mention.textContent = isSilent ? name : `@${name}`;
  if (reader.openUser === undefined) return;
  mention.setAttribute("role", "button");
  mention.tabIndex = 0;
}
