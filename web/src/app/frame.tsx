/** The page: sidebar, the place one is at, and what floats above both. */
import { useEffect } from "preact/hooks";
import { shownMedia } from "../files/shown-media.ts";
import { float } from "../message-actions/floats.ts";
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
import { Lazy } from "./lazy.tsx";
import { startKeys } from "./key-handler.ts";
import { NewRelease } from "./new-release.tsx";
import { PlaceView } from "./place-view.tsx";
import { ReaderProvider } from "./reader-provider.tsx";
import { entryKey, panel, place } from "./router.ts";

const messageFloats = () => import("../message-actions/message-floats.tsx");

const mediaViewer = () => import("../files/media-viewer.tsx");
const rightPanel = () => import("../panel/right-panel.tsx");

export function Frame() {
  useEffect(startKeys, []);
  useEffect(closeDrawer, [entryKey.value]);
  return (
    <ReaderProvider>
      <a class={styles["skip"]} href={location.hash} onClick={skipToMain}>
        {t("app.skip")}
      </a>
      <div class={styles["frame"]} data-place={place.value.kind} data-panel={panel.value !== undefined}>
        <ErrorBoundary>
          <Sidebar isOpen={isDrawerOpen.value} />
        </ErrorBoundary>
        {isDrawerOpen.value && <div class={styles["scrim"]} onClick={closeDrawer} />}
        <main id="main" class={styles["main"]} tabIndex={-1}>
          <ConnectionBar />
          <NewRelease />
          <ErrorBoundary resetBy={entryKey.value}>
            <PlaceView place={place.value} />
          </ErrorBoundary>
        </main>
        {panel.value && (
          <ErrorBoundary resetBy={entryKey.value}>
            <Lazy load={rightPanel} props={{}} />
          </ErrorBoundary>
        )}
        <BottomBar />
      </div>
      <Dialogs />
      {shownMedia.value && <Lazy load={mediaViewer} props={{}} />}
      {float.value && <Lazy load={messageFloats} props={{}} />}
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
