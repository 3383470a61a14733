/** What the session needs: signing in again if it has ended, otherwise a confirmation. */
import { isSignedOut } from "../api/session.ts";
import { SignInDialog } from "./sign-in-dialog.tsx";
import { StepUpDialog } from "./step-up-dialog.tsx";

export default function SessionDialog() {
  return isSignedOut.value ? <SignInDialog /> : <StepUpDialog />;
}
