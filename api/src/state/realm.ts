import type { z } from "zod";
import type { RealmState, realmEvents } from "../realm.ts";
import type { FollowedState } from "./followed-state.ts";

type RealmEvent = z.output<(typeof realmEvents)[number]>;

export function applyRealmEvent(state: FollowedState, event: RealmEvent): FollowedState {
  switch (event.op) {
    case "update":
      return withFields(state, { [event.property]: event.value });
    case "update_dict":
      return withFields(state, event.data);
    case "deactivated":
      return state;
  }
}

/** Only the fields requested at registration are kept up to date. */
function withFields(state: FollowedState, fields: Record<string, unknown>): FollowedState {
  const known = Object.entries(fields)
    .map(([name, value]) => [`realm_${name}`, value] as const)
    .filter(([name]) => name in state);
  const next: FollowedState = { ...state, ...Object.fromEntries(known) };
  return known.length === 0 ? state : { ...next, ...derived(next, new Set(known.map(([name]) => name))) };
}

/** Fields that follow from others, and have no event of their own. */
function derived(state: FollowedState, changed: ReadonlySet<string>): Partial<RealmState> {
  const fields: Partial<RealmState> = {};
  if (changed.has("realm_message_edit_history_visibility_policy"))
    fields.realm_allow_edit_history = state.realm_message_edit_history_visibility_policy !== "none";
  if (changed.has("realm_jitsi_server_url"))
    fields.jitsi_server_url = state.realm_jitsi_server_url ?? state.server_jitsi_server_url ?? "";
  return fields;
}
