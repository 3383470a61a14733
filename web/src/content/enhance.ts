/** Adapts a message's HTML to the reader. This happens before the content is shown, so that nothing moves afterwards. */
import { stillAnimations } from "./animation.ts";
import { addCodeTools } from "./code-blocks.ts";
import { showEmoji } from "./emoji.ts";
import { sizeMedia } from "./media.ts";
import { improveMath } from "./math.ts";
import { personalizeMentions } from "./mentions.ts";
import type { Reader } from "./reader.ts";
import { foldSpoilers } from "./spoilers.ts";
import { localizeTimes } from "./times.ts";

export function enhance(root: ParentNode, reader: Reader): void {
  // A plain paragraph has nothing to adapt.
  if (root.childElementCount === 1 && root.firstElementChild?.childElementCount === 0) return;
  personalizeMentions(root, reader);
  localizeTimes(root);
  showEmoji(root);
  foldSpoilers(root);
  addCodeTools(root);
  sizeMedia(root);
  stillAnimations(root);
  improveMath(root);
}
