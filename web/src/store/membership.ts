/** Joining and leaving channels. */
import "../text/chunks/channel.ts";
import { subscribe, unsubscribe } from "@skein/api/routes/subscriptions.ts";
import { call } from "../api/call.ts";
import { t } from "../text/t.ts";
import { mayRead } from "./channel-permissions.ts";
import { findChannel, type Channel } from "./channels.ts";
import { reasonOf } from "./reasons.ts";
import { toast } from "./toasts.ts";

export const toastFailure = (request: Promise<unknown>): void => {
  request.catch((error: unknown) => toast(reasonOf(error), { kind: "danger" }));
};

export const join = ({ name }: Channel): void => toastFailure(call(subscribe, { subscriptions: [{ name }] }));

/** Leaves a channel, with an Undo where the reader can return. */
export async function leave(channel: Channel): Promise<void> {
  await call(unsubscribe, { subscriptions: [channel.name] });
  const left = findChannel(channel.stream_id) ?? channel;
  const isOpen = mayRead({ ...left, isSubscribed: false }) && !left.is_archived;
  toast(t("channel.left", { name: channel.name }), isOpen ? { undo: () => join(left) } : {});
}
