/** Shows whether two cells have the same secret: a text that only its owner can open. */
import type { SecretBox } from "../../../platform/secret-box.ts";

const purpose = "cell";
const known = "cell";

/** Empty if the cell has no secret. */
export const sealCheck = (box: SecretBox): string => (box.canSeal ? box.seal(known, purpose) : "");

/** Whether the text was sealed with the same secret. */
export const opensCheck = (box: SecretBox, sealed: string): boolean =>
  sealed === "" ? !box.canSeal : box.open(sealed, purpose) === known;
