/** A project's wiki, releases, feature flags and access tokens. */
import { z } from "zod";
import { formatter, optionalText } from "../formatter.ts";
import { code, line, link, withQuote } from "../markdown.ts";
import { nameOf, project, projectTopic, user } from "./shapes.ts";

const verbs: Record<string, string> = { create: "created", update: "updated", delete: "deleted" };
const verbOf = (action: string): string => (Object.hasOwn(verbs, action) ? verbs[action] : undefined) ?? line(action);

const wiki = z.object({
  object_attributes: z.object({ title: z.string(), url: optionalText, action: z.string(), message: optionalText }),
  ...user,
  ...project,
});

export const wikiChanged = formatter(wiki, (payload) => {
  const { title, url, action, message } = payload.object_attributes;
  const sentence = `${nameOf(payload.user)} ${verbOf(action)} the wiki page ${link(title, url)}`;
  return { topic: projectTopic(payload), content: withQuote(sentence, message) };
});

const release = z.object({
  action: z.string(),
  name: z.string(),
  tag: z.string(),
  url: optionalText,
  description: optionalText,
  ...project,
});

export const released = formatter(release, (payload) => {
  const { action, name, tag, url, description } = payload;
  const sentence = `The release ${link(name, url)} of the tag ${code(tag)} was ${verbOf(action)}`;
  return { topic: projectTopic(payload), content: withQuote(sentence, action === "delete" ? "" : description) };
});

const featureFlag = z.object({
  object_attributes: z.object({ name: z.string(), description: optionalText, active: z.boolean() }),
  ...user,
  ...project,
});

export const featureFlagChanged = formatter(featureFlag, (payload) => {
  const { name, active, description } = payload.object_attributes;
  const sentence = `${nameOf(payload.user)} turned the feature flag ${code(name)} ${active ? "on" : "off"}`;
  return { topic: projectTopic(payload), content: withQuote(sentence, description) };
});

/** Belongs to a project or to a group; a group's URL is not in the payload. */
const accessToken = z.object({
  object_attributes: z.object({ name: z.string(), expires_at: optionalText }),
  project: project.project.nullish(),
  group: z.object({ group_name: optionalText, full_path: optionalText }).nullish(),
});

export const accessTokenExpiring = formatter(accessToken, (payload) => {
  const { name, expires_at } = payload.object_attributes;
  const when = expires_at === "" ? "soon" : `on ${line(expires_at)}`;
  const { project: its, group } = payload;
  const owner = its ? its.name : group?.group_name || group?.full_path || "a group";
  const shown = its ? link(its.name, its.web_url) : `the group ${line(owner)}`;
  return { topic: owner, content: `The access token ${code(name)} of ${shown} expires ${when}.` };
});
