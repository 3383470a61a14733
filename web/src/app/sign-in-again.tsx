/** The dialog for a session that has ended, loaded when one does. */
import { isSignedOut } from "../api/session.ts";
import { Lazy } from "../ui/lazy.tsx";

const dialog = () => import("../sign-in/sign-in-dialog.tsx");

export const SignInAgain = () => (isSignedOut.value ? <Lazy load={dialog} props={{}} /> : null);
