/** Drafts: what a user has begun to write, kept on the server so that every client of theirs has it. */
import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";
import { maxRecipients } from "./messages.ts";

/** So many of the newest are in the registration answer. */
export const maxRegisteredDrafts = 1000;
const maxDraftsPerRequest = 1000;

const area = "Drafts";

const draftFields = {
  type: z.enum(["", "stream", "private"]).describe("To a channel, to people, or (empty) not addressed yet."),
  to: z.array(z.int()).max(maxRecipients).describe("The channel, or the people; ignored when it is not addressed."),
  topic: z.string().describe("The topic of a draft to a channel; ignored otherwise."),
  content: z.string().describe("The text."),
};

/** As a client sends it. */
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
  area,
  summary: "Get drafts",
  description: "All of one's drafts, the one edited last first.",
  params: {},
  returns: { count: z.int().describe("How many there are."), drafts: z.array(draft) },
});

export const createDrafts = endpoint({
  operation: "create-drafts",
  method: "POST",
  path: "/drafts",
  auth: "user",
  area,
  summary: "Create drafts",
  description: "Keep drafts. One's other clients are told.",
  params: { drafts: json(z.array(draftInput).max(maxDraftsPerRequest)).default([]).describe("The drafts.") },
  returns: { ids: z.array(z.int()).describe("Their IDs, in the order they were given.") },
});

export const editDraft = endpoint({
  operation: "edit-draft",
  method: "PATCH",
  path: "/drafts/{draft_id}",
  auth: "user",
  area,
  summary: "Edit a draft",
  description: "Put another draft in the place of one. One's other clients are told.",
  params: { draft_id: draftId, draft: json(draftInput).describe("What it shall be.") },
  returns: {},
});

export const deleteDraft = endpoint({
  operation: "delete-draft",
  method: "DELETE",
  path: "/drafts/{draft_id}",
  auth: "user",
  area,
  summary: "Delete a draft",
  description: "Throw a draft away. One's other clients are told.",
  params: { draft_id: draftId },
  returns: {},
});

export const draftState = { drafts: z.array(draft).describe("The newest 1000, the one edited last first.") };

const type = z.literal("drafts");

export const draftEvents = [
  z.strictObject({ type, op: z.literal("add"), drafts: z.array(draft) }).describe("There are new drafts."),
  z.strictObject({ type, op: z.literal("update"), draft }).describe("A draft was edited."),
  z.strictObject({ type, op: z.literal("remove"), draft_id: z.int() }).describe("A draft is gone."),
] as const;
