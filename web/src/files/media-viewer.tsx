/** Shows what is open large, with the way to the message it stands in. */
import { actOnSelected } from "../app/selected-message.ts";
import { place } from "../app/router.ts";
import { Lightbox } from "./lightbox.tsx";
import { hideMedia, shownMedia } from "./shown-media.ts";

export default function MediaViewer() {
  const shown = shownMedia.value;
  if (!shown) return null;
  // In a conversation one is where the message is.
  const isThere = place.value.kind === "conversation";
  return (
    <Lightbox
      media={shown.media}
      index={shown.index}
      onClose={hideMedia}
      onShowMessage={
        isThere
          ? undefined
          : () => {
              hideMedia();
              actOnSelected("open");
            }
      }
    />
  );
}
