/** Drafts: unfinished messages, kept on the server so that all of the user's clients have them. */
import { z } from "zod";
import { endpoint, json, list } from "./endpoint.ts";
import { maxRecipients } from "./messages.ts";

/** How many of the newest drafts are in the registration response. */
export const maxRegisteredDrafts = 1000;
const maxDraftsPerRequest = 1000;

const area = "Drafts";

const draftFields = {
  type: z.enum(["", "stream", "private"]).describe("To a channel, to people, or (empty) not addressed yet."),
  to: list(z.int(), maxRecipients).describe("The channel, or the people; ignored when it is not addressed."),
  topic: z.string().describe("The topic of a draft to a channel; ignored otherwise."),
  content: z.string().describe("The text."),
};

/** A draft as a client sends it. */
const draftInput = z
  .strictObject({
    ...draftFields,
    timestamp: z.int().optional().describe("When it was last edited; now, if left out."),
  })
  .meta({ id: "DraftInput" });
export type DraftInput = z.output<typeof draftInput>;

export const draft = z
  .strictObject({ id: z.int(), ...draftFields, timestamp: z.int().describe("When it was last edited.") })
  .meta({ id: "Draft" });
export type Draft = z.output<typeof draft>;

const draftId = json(z.int()).describe("The draft.");

export const getDrafts = endpoint({
  operation: "get-drafts",
  method: "GET",
  path: "/drafts",
  auth: "user",
  scope: "messages:read",
  area,
  summary: "Get drafts",
  description: "All of the caller's drafts, most recently edited first.",
  params: {},
  returns: { count: z.int().describe("How many there are."), drafts: z.array(draft) },
});

export const createDrafts = endpoint({
  operation: "create-drafts",
  method: "POST",
  path: "/drafts",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Create drafts",
  description: "Save drafts. The caller's other clients receive an event.",
  params: { drafts: json(list(draftInput, maxDraftsPerRequest)).default([]).describe("The drafts.") },
  returns: { ids: z.array(z.int()).describe("Their IDs, in the order they were given.") },
});

export const editDraft = endpoint({
  operation: "edit-draft",
  method: "PATCH",
  path: "/drafts/{draft_id}",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Edit a draft",
  description: "Replace a draft. The caller's other clients receive an event.",
  params: { draft_id: draftId, draft: json(draftInput).describe("The new draft.") },
  returns: {},
});

export const deleteDraft = endpoint({
  operation: "delete-draft",
  method: "DELETE",
  path: "/drafts/{draft_id}",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Delete a draft",
  description: "Delete a draft. The caller's other clients receive an event.",
  params: { draft_id: draftId },
  returns: {},
});

export const draftState = { drafts: z.array(draft).describe("The newest 1000, most recently edited first.") };

const type = z.literal("drafts");

export const draftEvents = [
  z.strictObject({ type, op: z.literal("add"), drafts: z.array(draft) }).describe("Drafts were created."),
  z.strictObject({ type, op: z.literal("update"), draft }).describe("A draft was edited."),
  z.strictObject({ type, op: z.literal("remove"), draft_id: z.int() }).describe("A draft was deleted."),
] as const;

export const endpoints = [getDrafts, createDrafts, editDraft, deleteDraft];
