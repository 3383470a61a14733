import type { z } from "zod";
import type { realmEvents } from "../realm.ts";
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

/** Only what was asked for at registration is kept up to date. */
const withFields = (state: FollowedState, fields: Record<string, unknown>): FollowedState => ({
  ...state,
  ...Object.fromEntries(
    Object.entries(fields)
      .map(([name, value]) => [`realm_${name}`, value] as const)
      .filter(([name]) => name in state),
  ),
});
