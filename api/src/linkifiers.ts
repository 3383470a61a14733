/** Linkifiers: patterns whose matches become links in all messages and topics of an organization. */
import { z } from "zod";
import { endpoint, json, list, textUpTo } from "./endpoint.ts";

/** Limited, because every message is searched for all of them. */
export const maxLinkifiers = 100;
export const maxLinkifierPatternLength = 1000;
export const maxLinkifierTemplateLength = 2000;

const aboutPattern = "A regular expression in RE2's syntax. Its named groups are the variables of the URL template.";
const aboutTemplate = "The URL of a match: an RFC 6570 template whose variables are the pattern's named groups.";
const pattern = z.string().describe(aboutPattern);
const urlTemplate = z.string().describe(aboutTemplate);
const given = {
  pattern: textUpTo(maxLinkifierPatternLength).describe(aboutPattern),
  url_template: textUpTo(maxLinkifierTemplateLength).describe(aboutTemplate),
};

export const linkifier = z.strictObject({ id: z.int(), pattern, url_template: urlTemplate });
export type Linkifier = z.output<typeof linkifier>;

const linkifiers = z.array(linkifier).describe("In the order they are tried, which matters where patterns overlap.");

const area = "Server and organization";
const filterId = json(z.int()).describe("The linkifier.");

export const getLinkifiers = endpoint({
  operation: "get-linkifiers",
  method: "GET",
  path: "/realm/linkifiers",
  auth: "user",
  scope: "messages:read",
  area,
  summary: "Get linkifiers",
  description: "All linkifiers of the organization: patterns that become links in messages and topics.",
  params: {},
  returns: { linkifiers },
});

export const addLinkifier = endpoint({
  operation: "add-linkifier",
  method: "POST",
  path: "/realm/filters",
  auth: "user",
  scope: "admin",
  area,
  summary: "Add a linkifier",
  description: "Turn matches of a pattern into links. It is applied after the existing linkifiers. For administrators.",
  params: given,
  returns: { id: z.int().describe("The new linkifier.") },
});

export const updateLinkifier = endpoint({
  operation: "update-linkifier",
  method: "PATCH",
  path: "/realm/filters/{filter_id}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Update a linkifier",
  description: "Change the pattern and template of a linkifier. It keeps its position. For administrators.",
  params: { filter_id: filterId, ...given },
  returns: {},
});

export const removeLinkifier = endpoint({
  operation: "remove-linkifier",
  method: "DELETE",
  path: "/realm/filters/{filter_id}",
  auth: "user",
  scope: "admin",
  area,
  summary: "Remove a linkifier",
  description: "Remove a linkifier. Messages already sent keep their links. For administrators.",
  params: { filter_id: filterId },
  returns: {},
});

export const reorderLinkifiers = endpoint({
  operation: "reorder-linkifiers",
  method: "PATCH",
  path: "/realm/linkifiers",
  auth: "user",
  scope: "admin",
  area,
  summary: "Reorder linkifiers",
  description: "Change the order in which linkifiers are applied. For administrators.",
  params: { ordered_linkifier_ids: json(list(z.int())).describe("All of them, each once, first to last.") },
  returns: {},
});

export const linkifiersEvent = z
  .strictObject({ type: z.literal("realm_linkifiers"), realm_linkifiers: linkifiers })
  .describe("Linkifiers changed; this is the complete list. Only for clients that support URL templates.");

export const linkifierState = {
  realm_linkifiers: linkifiers.describe(
    "In the order they are applied; empty for clients that do not support URL templates.",
  ),
};

export const filterState = {
  realm_filters: z
    .array(z.array(z.union([z.int(), z.string()])))
    .describe("Deprecated: always empty. Linkifiers are in realm_linkifiers."),
};

export const endpoints = [getLinkifiers, addLinkifier, updateLinkifier, removeLinkifier, reorderLinkifiers];
