/** Provides message content with its reader. */
import type { ComponentChildren } from "preact";
import { ContentReader, type Reader } from "../content/reader.ts";
import { peopleById } from "../store/people.ts";
import { ownId, part } from "../store/state.ts";
import { showMedia } from "../files/shown-media.ts";
import { openPanel } from "../navigation/router.ts";

const reader: Reader = {
  isMe: (userId) => userId === ownId.peek(),
  isMyGroup: (groupId) =>
    part("realm_user_groups")
      .peek()
      ?.find(({ id }) => id === groupId)
      ?.members.includes(ownId.peek()) ?? false,
  nameOf: (userId) => peopleById.peek().get(userId)?.full_name,
  openUser: (userId) => openPanel({ kind: "user", userId }),
  openMedia: showMedia,
};

export const ReaderProvider = ({ children }: { children: ComponentChildren }) => (
  <ContentReader.Provider value={reader}>{children}</ContentReader.Provider>
);
