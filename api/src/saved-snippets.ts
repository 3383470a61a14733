/** Saved snippets: texts that a user keeps for reuse. */
import { z } from "zod";
import { endpoint, json, textUpTo } from "./endpoint.ts";
import { maxMessageLength } from "./messages.ts";

export const maxSnippetTitleLength = 60;

export const savedSnippet = z
  .strictObject({
    id: z.int(),
    title: z.string(),
    content: z.string().describe("In Markdown."),
    date_created: z.int(),
  })
  .meta({ id: "SavedSnippet" });
export type SavedSnippet = z.output<typeof savedSnippet>;

const snippets = z.array(savedSnippet).describe("The caller's own, the oldest first.");

export const getSavedSnippets = endpoint({
  operation: "get-saved-snippets",
  method: "GET",
  path: "/saved_snippets",
  auth: "user",
  scope: "messages:read",
  area: "Saved snippets",
  summary: "Get saved snippets",
  description: "All of the caller's snippets.",
  params: {},
  returns: { saved_snippets: snippets },
});

export const createSavedSnippet = endpoint({
  operation: "create-saved-snippet",
  method: "POST",
  path: "/saved_snippets",
  auth: "user",
  scope: "messages:write",
  area: "Saved snippets",
  summary: "Save a snippet",
  description: "Save a text under a title for reuse.",
  params: {
    title: textUpTo(maxSnippetTitleLength).describe("What it is called."),
    content: textUpTo(maxMessageLength).describe("The text, in Markdown."),
  },
  returns: { saved_snippet_id: z.int().describe("Its ID.") },
});

export const editSavedSnippet = endpoint({
  operation: "edit-saved-snippet",
  method: "PATCH",
  path: "/saved_snippets/{saved_snippet_id}",
  auth: "user",
  scope: "messages:write",
  area: "Saved snippets",
  summary: "Edit a saved snippet",
  description: "Change the title or the content of one of the caller's snippets.",
  params: {
    saved_snippet_id: json(z.int()).describe("Its ID."),
    title: textUpTo(maxSnippetTitleLength).optional().describe("What it is called from now on."),
    content: textUpTo(maxMessageLength).optional().describe("The new text, in Markdown."),
  },
  returns: {},
});

export const deleteSavedSnippet = endpoint({
  operation: "delete-saved-snippet",
  method: "DELETE",
  path: "/saved_snippets/{saved_snippet_id}",
  auth: "user",
  scope: "messages:write",
  area: "Saved snippets",
  summary: "Delete a saved snippet",
  description: "Delete one of the caller's snippets.",
  params: { saved_snippet_id: json(z.int()).describe("Its ID.") },
  returns: {},
});

export const savedSnippetState = { saved_snippets: snippets };

export const savedSnippetEvents = [
  z.strictObject({ type: z.literal("saved_snippets"), op: z.literal("add"), saved_snippet: savedSnippet }),
  z.strictObject({ type: z.literal("saved_snippets"), op: z.literal("update"), saved_snippet: savedSnippet }),
  z.strictObject({ type: z.literal("saved_snippets"), op: z.literal("remove"), saved_snippet_id: z.int() }),
] as const;

export const endpoints = [getSavedSnippets, createSavedSnippet, editSavedSnippet, deleteSavedSnippet];
