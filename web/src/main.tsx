/** Starts the client: renders the shell, requests the state, and follows it from then on. */
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/starting.css";
import { effect, signal } from "@preact/signals";
import { render } from "preact";
import { ErrorBoundary } from "./ui/error-boundary.tsx";
import { Frame } from "./app/frame.tsx";
import { applySidebar } from "./navigation/drawer.ts";
import { place, startRouter } from "./navigation/router.ts";
import { Starting } from "./app/starting.tsx";
import { startTitle } from "./app/title.ts";
import { applyAppearance } from "./app/appearance.ts";
import { channelMatcher } from "./store/channel-matcher.ts";
import { peopleMatcher } from "./store/people-matcher.ts";
import { startDrafts } from "./store/drafts.ts";
import { startEdits } from "./store/edits.ts";
import { startLocalData } from "./store/local-data.ts";
import { startOutbox } from "./store/sending.ts";
import { isReady, ownId } from "./store/state.ts";
import { loadNextConversation } from "./commands/keys.ts";
import { startRelease } from "./store/release.ts";
import { startSync } from "./store/sync.ts";
import { startTopics } from "./store/topics.ts";
import { startPresence } from "./store/presence.ts";

/** Whether unsent text is loaded: before that, nothing editable is shown. */
const hasLocalText = signal(false);

const canShow = (): boolean => isReady.value && (hasLocalText.value || place.value.kind === "inbox");

/** The last boundary: catches what no other does, and leaves a way to continue. */
const App = () => <ErrorBoundary>{canShow() ? <Frame /> : <Starting />}</ErrorBoundary>;

const root = document.querySelector("#app");
if (!root) throw new Error("index.html has no root element for the client");

applySidebar();
startRouter();
render(<App />, root);

const stop = effect(() => {
  if (isReady.value) queueMicrotask(() => void start());
});

/** Starts the parts that need to know the account. If one fails, the others still start. */
async function start(): Promise<void> {
  stop();
  const database = startLocalData(ownId.peek());
  for (const run of [applyAppearance, startTitle, startTopics, startPresence, startEdits, startRelease]) attempt(run);
  void loadNextConversation();
  void import("./notifications/start.ts").then(({ startNotifications }) => startNotifications());
  await startDrafts(database).catch(reportError);
  hasLocalText.value = true;
  await startOutbox(database).catch(reportError);
  peopleMatcher.prepare();
  channelMatcher.prepare();
}

function attempt(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    reportError(error);
  }
}

// Not awaited: chunks loaded later import this file and would wait for it to finish.
startSync().catch(reportError);
