import type { z } from "zod";
import type { SavedSnippet, savedSnippetEvents } from "../saved-snippets.ts";
import { change, type FollowedState } from "./followed-state.ts";

type SavedSnippetEvent = z.output<(typeof savedSnippetEvents)[number]>;

export const applySavedSnippetEvent = (state: FollowedState, event: SavedSnippetEvent): FollowedState =>
  change(state, "saved_snippets", (snippets) => after(snippets, event));

function after(snippets: SavedSnippet[], event: SavedSnippetEvent): SavedSnippet[] {
  switch (event.op) {
    case "add":
      return [...snippets, event.saved_snippet];
    case "update":
      return snippets.map((snippet) => (snippet.id === event.saved_snippet.id ? event.saved_snippet : snippet));
    case "remove":
      return snippets.filter(({ id }) => id !== event.saved_snippet_id);
  }
}
