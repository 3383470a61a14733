/** The page: the sidebar, the current place, and floating layers above both. */
import type { Signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { startDropping } from "../composer/dropped-files.ts";
import { composerHandle } from "../commands/composer-handle.ts";
import { shownMedia } from "../files/shown-media.ts";
import { float } from "../commands/floats.ts";
import { SignInAgain } from "./sign-in-again.tsx";
import { Sidebar } from "../sidebar/sidebar.tsx";
import { t } from "../text/t.ts";
import { LiveRegion } from "../ui/live-region.tsx";
import { Toasts } from "../ui/toast.tsx";
import { toast } from "../store/toasts.ts";
import { TooltipHost } from "../ui/tooltip.tsx";
import { BottomBar } from "./bottom-bar.tsx";
import { ConnectionBar } from "./connection-bar.tsx";
import { Dialogs } from "./dialogs.tsx";
import { closeDrawer, isDrawerOpen } from "../navigation/drawer.ts";
import { ErrorBoundary, FloatBoundary } from "../ui/error-boundary.tsx";
import styles from "./frame.module.css";
import { Lazy } from "../ui/lazy.tsx";
import { startKeys } from "./key-handler.ts";
import { MaintenanceBar } from "./maintenance-bar.tsx";
import { PlaceView } from "./place-view.tsx";
import { ReaderProvider } from "./reader-provider.tsx";
import { addressOf, entryKey, panel, place } from "../navigation/router.ts";

const messageFloats = () => import("../message-actions/message-floats.tsx");

const mediaViewer = () => import("../files/media-viewer.tsx");
/** Loaded at the start: once it has something to show, the server may no longer have it. */
const newRelease = () => import("./new-release.tsx");
const rightPanel = () => import("../panel/right-panel.tsx");

export function Frame() {
  useEffect(startKeys, []);
  useEffect(
    () =>
      startDropping(
        (files) => composerHandle.peek()?.attach(files) ?? false,
        () => toast(t("composer.dropNowhere")),
      ),
    [],
  );
  useEffect(closeDrawer, [entryKey.value]);
  useKeptFocus();
  return (
    <ReaderProvider>
      <a class={styles.skip} href={location.hash} onClick={skipToMain}>
        {t("app.skip")}
      </a>
      <div class={styles.frame} data-place={place.value.kind} data-panel={panel.value !== undefined}>
        <ErrorBoundary>
          <Sidebar isOpen={isDrawerOpen.value} />
        </ErrorBoundary>
        {isDrawerOpen.value && <div class={styles.scrim} onClick={closeDrawer} />}
        <main id="main" class={styles.main} tabIndex={-1}>
          <ConnectionBar />
          <MaintenanceBar />
          <Lazy load={newRelease} props={{}} />
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
      <Open what={shownMedia} load={mediaViewer} />
      <Open what={float} load={messageFloats} />
      <SignInAgain />
      <Toasts />
      <TooltipHost />
      <LiveRegion />
    </ReaderProvider>
  );
}

/** A floating layer above the page while a signal has a value. */
function Open<T>({ what, load }: { what: Signal<T | undefined>; load: () => Promise<{ default: ComponentType }> }) {
  const { value } = what;
  if (value === undefined) return null;
  const set = (to: T | undefined) => () => {
    what.value = to;
  };
  return (
    <FloatBoundary onClose={set(undefined)} onRetry={set(value)}>
      <Lazy load={load} props={{}} />
    </FloatBoundary>
  );
}

/**
 * After navigation the place gets focus, at its heading, unless it has put it somewhere itself, such as the composer. A
 * panel is no place: opening it moves no focus here.
 */
function useKeptFocus(): void {
  const shown = useRef<string>(undefined);
  useEffect(() => {
    const before = shown.current;
    shown.current = addressOf(place.peek());
    if (before === undefined) return undefined;
    const isSame = before === shown.current;
    const frame = requestAnimationFrame(() => {
      const { activeElement } = document;
      const isLost = activeElement === null || activeElement === document.body;
      if (!isLost && (isSame || activeElement.closest("#main, dialog, [popover]"))) return;
      const main = document.querySelector<HTMLElement>("#main");
      if (!main || focusHeading(main)) return;
      // The place is still loading.
      main.focus({ preventScroll: true });
      loading = new MutationObserver(() => {
        if (document.activeElement !== main || focusHeading(main)) loading?.disconnect();
      });
      loading.observe(main, { childList: true, subtree: true });
    });
    let loading: MutationObserver | undefined;
    return () => {
      cancelAnimationFrame(frame);
      loading?.disconnect();
    };
  }, [entryKey.value]);
}

function focusHeading(main: HTMLElement): boolean {
  const heading = main.querySelector<HTMLElement>("h1");
  if (!heading) return false;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  return true;
}

function skipToMain(event: MouseEvent): void {
  event.preventDefault();
  const messages = document.querySelectorAll<HTMLElement>('[role="feed"] article');
  (messages[messages.length - 1] ?? document.querySelector<HTMLElement>("#main"))?.focus();
}
