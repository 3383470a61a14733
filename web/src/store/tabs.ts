/** Messages between the tabs of one browser. Where tabs cannot communicate, each works alone. */
import type { Draft } from "./drafts.ts";

/** All messages are about one account. */
export type TabMessage =
  | { type: "draft"; userId: number; draft: Draft }
  /** The account's data in this browser was or is being erased: nothing may be written any more. */
  | { type: "signed out"; userId: number };

let channel: BroadcastChannel | undefined;

function open(): BroadcastChannel | undefined {
  if (typeof BroadcastChannel === "undefined") return undefined;
  channel ??= new BroadcastChannel("skein");
  return channel;
}

export const postToTabs = (message: TabMessage): void => open()?.postMessage(message);

export function onTabMessage(listener: (message: TabMessage) => void): void {
  // Only this origin's scripts can post here, and all of them are this client; another release may post other kinds.
  open()?.addEventListener("message", ({ data }) => listener(data as TabMessage));
}
