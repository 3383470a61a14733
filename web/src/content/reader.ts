/** What a message's content depends on besides its HTML: the reader, and what can be opened from it. */
import { createContext } from "preact";

export interface Media {
  /** The full image or video. */
  src: string;
  /** The thumbnail in the message. */
  thumbnail: string;
  title: string;
  isVideo: boolean;
}

export interface Reader {
  isMe: (userId: number) => boolean;
  isMyGroup: (groupId: number) => boolean;
  /** The current name, if known. */
  nameOf: (userId: number) => string | undefined;
  openUser?: ((userId: number, anchor: HTMLElement) => void) | undefined;
  /** All media of a message, starting with one. */
  openMedia?: ((media: readonly Media[], index: number) => void) | undefined;
}

export const ContentReader = createContext<Reader>({
  isMe: () => false,
  isMyGroup: () => false,
  nameOf: () => undefined,
});
