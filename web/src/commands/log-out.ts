/** Logging out. */
import { openDialog } from "../navigation/dialogs.ts";
import { signOut } from "../api/session.ts";
import { hasLocalDrafts } from "../store/drafts.ts";
import { hasOpenEdits } from "../store/edits.ts";
import { reasonOf } from "../store/reasons.ts";
import { hasUnsent } from "../store/sending.ts";
import { toast } from "../store/toasts.ts";

/** Without a confirmation if nothing would be lost. */
export function logOut(): void {
  if (hasUnsent() || hasLocalDrafts() || hasOpenEdits()) openDialog("sign-out");
  else signOut().catch((error: unknown) => toast(reasonOf(error), { kind: "danger" }));
}
