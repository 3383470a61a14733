import type { z } from "zod";
import type { savedSnippetEvents } from "../saved-snippets.ts";
import { change, type FollowedState } from "./followed-state.ts";

type SavedSnippetEvent = z.output<(typeof savedSnippetEvents)[number]>;

export const applySavedSnippetEvent = (state: FollowedState, event: SavedSnippetEvent): FollowedState =>
  change(state, "saved_snippets", (snippets) =>
    event.op === "add"
      ? [...snippets, event.saved_snippet]
      : snippets.filter(({ id }) => id !== event.saved_snippet_id),
  );
