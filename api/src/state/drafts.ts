import type { z } from "zod";
import type { Draft, draftEvents } from "../drafts.ts";
import { change, type FollowedState } from "./followed-state.ts";
import { newestFirst } from "./order.ts";

type DraftEvent = z.output<(typeof draftEvents)[number]>;

export function applyDraftEvent(state: FollowedState, event: DraftEvent): FollowedState {
  return change(state, "drafts", (drafts) => {
    switch (event.op) {
      case "add":
        return [...drafts, ...event.drafts].toSorted(newestFirst);
      case "update":
        return [...except(drafts, event.draft.id), event.draft].toSorted(newestFirst);
      case "remove":
        return except(drafts, event.draft_id);
    }
  });
}

const except = (drafts: readonly Draft[], id: number) => drafts.filter((draft) => draft.id !== id);
