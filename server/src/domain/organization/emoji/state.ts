import type { StatePart } from "../../../events/state-part.ts";
import { listCustomEmoji } from "./queries.ts";

export const emojiState: StatePart = {
  types: ["realm_emoji"],
  sharedBy: () => "",
  load: async (db, { user }) => ({ realm_emoji: await listCustomEmoji(db, user.realm_id) }),
};
