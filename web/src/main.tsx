/** Starts the client: paints the frame's place, asks for the state, and follows it from then on. */
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/starting.css";
import { effect, signal } from "@preact/signals";
import { render } from "preact";
import { Frame } from "./app/frame.tsx";
import { place, startRouter } from "./app/router.ts";
import { Starting } from "./app/starting.tsx";
import { startTitle } from "./app/title.ts";
import { applyAppearance } from "./app/appearance.ts";
import { channelMatcher } from "./channel/channel-matcher.ts";
import { peopleMatcher } from "./people/people-matcher.ts";
import { openDatabase, type Database } from "./store/database.ts";
import { startDrafts } from "./store/drafts.ts";
import { startEdits } from "./store/edits.ts";
import { startOutbox } from "./store/sending.ts";
import { isReady, ownId } from "./store/state.ts";
import { startRelease } from "./store/release.ts";
import { startSync } from "./store/sync.ts";
import { startTopics } from "./store/topics.ts";
import { startPresence } from "./store/presence.ts";

/** Whether what was not sent is at hand: nothing is shown that one could write into before. */
const hasLocalText = signal(false);

const canShow = (): boolean => isReady.value && (hasLocalText.value || place.value.kind === "inbox");

const App = () => (canShow() ? <Frame /> : <Starting />);

const root = document.querySelector("#app");
if (!root) throw new Error("index.html has no place for the client");

startRouter();
render(<App />, root);

const stop = effect(() => {
  if (isReady.value) queueMicrotask(() => void start());
});

/** What needs to know whose client it is. */
async function start(): Promise<void> {
  stop();
  applyAppearance();
  startTitle();
  startTopics();
  startPresence();
  startEdits();
  startRelease();
  void import("./notifications/start.ts").then(({ startNotifications }) => startNotifications());
  const database = await openInTime();
  await startDrafts(database);
  hasLocalText.value = true;
  await startOutbox(database);
  peopleMatcher.prepare();
  channelMatcher.prepare();
}

const longestOpening = 1000;

/** Without the browser's store all works, but for surviving a reload. */
function openInTime(): Promise<Database | undefined> {
  const late = new Promise<undefined>((resume) => setTimeout(resume, longestOpening, undefined));
  return Promise.race([openDatabase(ownId.peek()).catch(() => undefined), late]);
}

// Not awaited: parts that are loaded later import this file, and would wait for its end.
startSync().catch(reportError);
