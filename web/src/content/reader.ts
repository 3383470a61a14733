/** What a message's content depends on beside its HTML: who reads it, and what can be opened from it. */
import { createContext } from "preact";

export interface Media {
  /** The whole picture or video. */
  src: string;
  /** What the message shows of it. */
  thumbnail: string;
  title: string;
  isVideo: boolean;
}

export interface Reader {
  isMe: (userId: number) => boolean;
  isMyGroup: (groupId: number) => boolean;
  /** Today's name, if it is known. */
  nameOf: (userId: number) => string | undefined;
  openUser?: ((userId: number, anchor: HTMLElement) => void) | undefined;
  /** All of a message, beginning with one. */
  openMedia?: ((media: readonly Media[], index: number) => void) | undefined;
}

export const ContentReader = createContext<Reader>({
  isMe: () => false,
  isMyGroup: () => false,
  nameOf: () => undefined,
});
