/** Reactions to messages, by emoji. */
import type { Reaction } from "@skein/api/reactions.ts";
import { addReaction, removeReaction } from "@skein/api/routes/reactions.ts";
import { call } from "../api/call.ts";
import type { Message } from "./messages.ts";
import { perform } from "./operations.ts";
import { self } from "./people.ts";
import { ownId } from "./state.ts";

export type Emoji = Pick<Reaction, "emoji_name" | "emoji_code" | "reaction_type">;

const isSame = (a: Emoji, b: Emoji): boolean => a.emoji_code === b.emoji_code && a.reaction_type === b.reaction_type;

export interface ReactionGroup extends Emoji {
  userIds: number[];
  isMine: boolean;
}

/** In the order in which the emoji were first used. */
export function groupReactions({ reactions }: Message): ReactionGroup[] {
  const groups: ReactionGroup[] = [];
  for (const reaction of reactions) {
    const known = groups.find((group) => isSame(group, reaction));
    const isMine = reaction.user_id === ownId.value;
    if (known) {
      known.userIds.push(reaction.user_id);
      known.isMine ||= isMine;
    } else {
      const { emoji_name, emoji_code, reaction_type, user_id } = reaction;
      groups.push({ emoji_name, emoji_code, reaction_type, userIds: [user_id], isMine });
    }
  }
  return groups;
}

export function toggleReaction(message: Message, emoji: Emoji): void {
  const user_id = ownId.peek();
  const isThere = message.reactions.some((each) => each.user_id === user_id && isSame(each, emoji));
  const { emoji_name, emoji_code, reaction_type } = emoji;
  const { email, full_name } = self.peek();
  perform({
    key: `reaction ${message.id} ${reaction_type} ${emoji_code}`,
    event: {
      type: "reaction",
      op: isThere ? "remove" : "add",
      message_id: message.id,
      emoji_name,
      emoji_code,
      reaction_type,
      user_id,
      user: { user_id, email, full_name },
    },
    request: () => {
      const params = { message_id: message.id, emoji_name, emoji_code, reaction_type };
      return isThere ? call(removeReaction, params) : call(addReaction, params);
    },
  });
}
