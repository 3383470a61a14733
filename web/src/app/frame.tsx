/** The page: sidebar, the place one is at, and what floats above both. */
import { useEffect } from "preact/hooks";
import { SignInDialog } from "../sign-in/sign-in-dialog.tsx";
import { Sidebar } from "../sidebar/sidebar.tsx";
import { t } from "../text/t.ts";
import { LiveRegion } from "../ui/live-region.tsx";
import { Toasts } from "../ui/toast.tsx";
import { TooltipHost } from "../ui/tooltip.tsx";
import { BottomBar } from "./bottom-bar.tsx";
import { ConnectionBar } from "./connection-bar.tsx";
import { Dialogs } from "./dialogs.tsx";
import { closeDrawer, isDrawerOpen } from "./drawer.ts";
import { ErrorBoundary } from "./error-boundary.tsx";
import styles from "./frame.module.css";
import { startKeys } from "./key-handler.ts";
import { PlaceView } from "./place-view.tsx";
import { ReaderProvider } from "./reader-provider.tsx";
import { entryKey, place } from "./router.ts";

export function Frame() {
  useEffect(startKeys, []);
  useEffect(closeDrawer, [entryKey.value]);
  return (
    <ReaderProvider>
      <a class={styles["skip"]} href={location.hash} onClick={skipToMain}>
        {t("app.skip")}
      </a>
      <div class={styles["frame"]} data-place={place.value.kind}>
        <ErrorBoundary>
          <Sidebar isOpen={isDrawerOpen.value} />
        </ErrorBoundary>
        {isDrawerOpen.value && <div class={styles["scrim"]} onClick={closeDrawer} />}
        <main id="main" class={styles["main"]} tabIndex={-1}>
          <ConnectionBar />
          <ErrorBoundary resetBy={entryKey.value}>
            <PlaceView place={place.value} />
          </ErrorBoundary>
        </main>
        <BottomBar />
      </div>
      <Dialogs />
      <SignInDialog />
      <Toasts />
      <TooltipHost />
      <LiveRegion />
    </ReaderProvider>
  );
}

function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  const messages = document.querySelectorAll<HTMLElement>('[role="feed"] article');
  (messages[messages.length - 1] ?? document.querySelector<HTMLElement>("#main"))?.focus();
}
