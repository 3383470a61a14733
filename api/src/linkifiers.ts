/** Linkifiers: patterns that make what matches them a link, wherever it is written in the organization. */
import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";

const pattern = z.string().describe("A regular expression in RE2's syntax. Named groups feed the URL template.");
const urlTemplate = z.string().describe("Where a match leads: an RFC 6570 template with the pattern's groups by name.");

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
  area,
  summary: "Get linkifiers",
  description: "Every pattern that makes links in this organization's messages and topics.",
  params: {},
  returns: { linkifiers },
});

export const addLinkifier = endpoint({
  operation: "add-linkifier",
  method: "POST",
  path: "/realm/filters",
  auth: "user",
  area,
  summary: "Add a linkifier",
  description: "Make what matches a pattern a link from now on. It is tried after those there are. For administrators.",
  params: { pattern, url_template: urlTemplate },
  returns: { id: z.int().describe("The new linkifier.") },
});

export const updateLinkifier = endpoint({
  operation: "update-linkifier",
  method: "PATCH",
  path: "/realm/filters/{filter_id}",
  auth: "user",
  area,
  summary: "Update a linkifier",
  description: "Give a linkifier another pattern and template. It keeps its place. For administrators.",
  params: { filter_id: filterId, pattern, url_template: urlTemplate },
  returns: {},
});

export const removeLinkifier = endpoint({
  operation: "remove-linkifier",
  method: "DELETE",
  path: "/realm/filters/{filter_id}",
  auth: "user",
  area,
  summary: "Remove a linkifier",
  description: "Make no more links of this kind. What was sent keeps its links. For administrators.",
  params: { filter_id: filterId },
  returns: {},
});

export const reorderLinkifiers = endpoint({
  operation: "reorder-linkifiers",
  method: "PATCH",
  path: "/realm/linkifiers",
  auth: "user",
  area,
  summary: "Reorder linkifiers",
  description: "Say in which order linkifiers are tried. For administrators.",
  params: { ordered_linkifier_ids: json(z.array(z.int())).describe("All of them, each once, first to last.") },
  returns: {},
});

export const linkifiersEvent = z
  .strictObject({ type: z.literal("realm_linkifiers"), realm_linkifiers: linkifiers })
  .describe("Linkifiers changed; these are all of them. Only for clients that know URL templates.");

export const linkifierState = {
  realm_linkifiers: linkifiers.describe("In the order they are tried; none for clients that know no URL templates."),
};

export const filterState = {
  realm_filters: z
    .array(z.array(z.union([z.int(), z.string()])))
    .describe("Deprecated: always empty. Linkifiers are in realm_linkifiers."),
};
