/** Pending invitations: the reader's own, for administrators all. They are fetched when shown, and again when they change. */
import { effect, signal } from "@preact/signals";
import type { Invitation } from "@skein/api/invitations.ts";
import { getInvitations } from "@skein/api/routes/invitations.ts";
import { call } from "../api/call.ts";
import { onEvent } from "./events.ts";
import { generation } from "./sync.ts";

/** Undefined until they are known. */
export const invitations = signal<readonly Invitation[] | undefined>(undefined);
export const invitationsFailure = signal<unknown>(undefined);

let lastRequest = 0;

export async function loadInvitations(): Promise<void> {
  const request = ++lastRequest;
  invitationsFailure.value = undefined;
  try {
    const { invites } = await call(getInvitations, {});
    // A later request may have been answered first.
    if (request === lastRequest) invitations.value = invites;
  } catch (error) {
    if (request === lastRequest) invitationsFailure.value = error;
  }
}

/** Keeps them current until the returned function is called. */
export function followInvitations(): () => void {
  // Events between two queues are lost.
  const stopReloading = effect(() => {
    void generation.value;
    void loadInvitations();
  });
  const stopListening = onEvent((event) => {
    if (event.type === "invites_changed") void loadInvitations();
  });
  return () => {
    stopReloading();
    stopListening();
  };
}
