/** Shows the open media in the viewer, with a link to their message. */
import { actOnSelected } from "../commands/selected-message.ts";
import { place } from "../navigation/router.ts";
import { Lightbox } from "./lightbox.tsx";
import { hideMedia, shownMedia } from "./shown-media.ts";

export default function MediaViewer() {
  const shown = shownMedia.value;
  if (!shown) return null;
  // In a conversation the message is already on the page.
  const isInConversation = place.value.kind === "conversation";
  return (
    <Lightbox
      media={shown.media}
      index={shown.index}
      onClose={hideMedia}
      onShowMessage={
        isInConversation
          ? undefined
          : () => {
              hideMedia();
              actOnSelected("open");
            }
      }
    />
  );
}
