/** The dialogs for a session that has ended, or has to be confirmed, loaded when one does. */
import { isSignedOut } from "../api/session.ts";
import { unconfirmed } from "../api/step-up.ts";
import { Lazy } from "../ui/lazy.tsx";

const dialog = () => import("../sign-in/session-dialog.tsx");

export const SignInAgain = () =>
  isSignedOut.value || unconfirmed.value.length > 0 ? <Lazy load={dialog} props={{}} /> : null;
