/** The shell before there is anything to show in it, with the final layout so that nothing jumps. index.html has the same. */
import { connection } from "../store/sync.ts";
import { t } from "../text/t.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { SignInAgain } from "./sign-in-again.tsx";

export const Starting = () => (
  <div class="starting">
    <div class="starting-sidebar">
      <Skeleton rows={10} height={28} />
    </div>
    <main class="starting-main">
      {connection.value === "reconnecting" || connection.value === "offline" ? (
        <p class="starting-note">{t("connection.starting")}</p>
      ) : (
        <div class="starting-rows">
          <Skeleton rows={10} height={56} hasAvatar />
        </div>
      )}
    </main>
    <SignInAgain />
  </div>
);
