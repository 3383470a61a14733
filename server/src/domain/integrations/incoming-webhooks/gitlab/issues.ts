/** Issues, merge requests and comments. */
import { z } from "zod";
import { formatter, listed, optionalText, readShape, UnknownEvent, type Report } from "../formatter.ts";
import { code, line, link, withQuote } from "../markdown.ts";
import {
  issueLink,
  issueTopic,
  mergeRequestLink,
  mergeRequestTopic,
  nameOf,
  numbered,
  person,
  project,
  projectTopic,
  shortSha,
  user,
} from "./shapes.ts";

const assignees = listed(person).nullish();
type Assignees = z.output<typeof assignees>;

function assignedTo(people: Assignees): string {
  const names = (people?.items ?? []).map(nameOf);
  return names.length === 0 ? "" : `, assigned to ${names.join(", ")}`;
}

/** A test delivery describes an issue without an action. */
const actionOrUpdate = z
  .string()
  .nullish()
  .transform((its) => its ?? "update");

const issue = z.object({
  object_attributes: z.object({ ...numbered, description: optionalText, action: actionOrUpdate }),
  assignees,
  ...user,
  ...project,
});

const issueVerbs: Record<string, string> = {
  open: "opened",
  close: "closed",
  reopen: "reopened",
  update: "updated",
};

export const issueChanged = formatter(issue, (payload) => {
  const its = payload.object_attributes;
  const verb = Object.hasOwn(issueVerbs, its.action) ? issueVerbs[its.action] : line(its.action);
  const isNew = its.action === "open";
  const sentence = `${nameOf(payload.user)} ${verb} ${issueLink(its)}${isNew ? assignedTo(payload.assignees) : ""}`;
  return { topic: issueTopic(payload, its), content: withQuote(sentence, isNew ? its.description : "") };
});

const mergeRequest = z.object({
  object_attributes: z.object({
    ...numbered,
    description: optionalText,
    action: actionOrUpdate,
    source_branch: optionalText,
    target_branch: optionalText,
    /** Present if commits were added. */
    oldrev: optionalText,
    last_commit: z.object({ id: z.string(), url: optionalText }).nullish(),
  }),
  assignees,
  ...user,
  ...project,
});
type MergeRequest = z.output<typeof mergeRequest>;

const mergeRequestVerbs: Record<string, string> = {
  open: "opened",
  close: "closed",
  reopen: "reopened",
  update: "updated",
  merge: "merged",
  approved: "approved",
  approval: "added an approval to",
  unapproved: "no longer approves",
  unapproval: "took back an approval of",
};

export const mergeRequestChanged = formatter(mergeRequest, (payload) => {
  const its = payload.object_attributes;
  const verb = Object.hasOwn(mergeRequestVerbs, its.action) ? mergeRequestVerbs[its.action] : line(its.action);
  const sentence = `${nameOf(payload.user)} ${verb} ${mergeRequestLink(its)}${detailsOf(payload)}`;
  return {
    topic: mergeRequestTopic(payload, its),
    content: withQuote(sentence, its.action === "open" ? its.description : ""),
  };
});

function detailsOf({ object_attributes: its, assignees: people }: MergeRequest): string {
  const { last_commit } = its;
  if (its.action === "open")
    return ` from ${code(its.source_branch)} to ${code(its.target_branch)}${assignedTo(people)}`;
  if (its.action === "merge") return ` into ${code(its.target_branch)}`;
  if (its.action === "update" && its.oldrev !== "" && last_commit)
    return ` to ${link(shortSha(last_commit.id), last_commit.url)}`;
  return "";
}

const note = z.object({
  object_attributes: z.object({
    note: optionalText,
    noteable_type: z.string(),
    url: optionalText,
    /** Missing in older versions, which sent only new comments. */
    action: optionalText,
  }),
  commit: z.object({ id: z.string(), url: optionalText }).nullish(),
  merge_request: z.object(numbered).nullish(),
  issue: z.object(numbered).nullish(),
  snippet: z.object({ id: z.number(), title: z.string(), url: optionalText }).nullish(),
  ...user,
  ...project,
});

export const noted = formatter(note, (payload): Report => {
  const { note: words, url, action } = payload.object_attributes;
  const { topic, subject } = noteTarget(payload);
  const verb = action === "update" ? `edited a ${link("comment", url)}` : link("commented", url);
  const sentence = `${nameOf(payload.user)} ${verb} on ${subject}`;
  return { topic, content: withQuote(sentence, words) };
});

function noteTarget(payload: z.output<typeof note>): { topic: string; subject: string } {
  const { commit, merge_request, issue: its, snippet } = payload;
  if (merge_request)
    return { topic: mergeRequestTopic(payload, merge_request), subject: mergeRequestLink(merge_request) };
  if (its) return { topic: issueTopic(payload, its), subject: issueLink(its) };
  if (snippet)
    return {
      topic: `${projectTopic(payload)} / snippet #${snippet.id} ${snippet.title}`,
      subject: link(`snippet #${snippet.id} ${snippet.title}`, snippet.url),
    };
  if (commit) return { topic: projectTopic(payload), subject: link(shortSha(commit.id), commit.url) };
  throw new UnknownEvent(`Note Hook ${payload.object_attributes.noteable_type}`);
}

const acted = z.object({ object_attributes: z.object({ action: actionOrUpdate }) });
export const actionOf = (payload: unknown, event: string): string =>
  readShape(acted, payload, event).object_attributes.action;

const about = z.object({ object_attributes: z.object({ noteable_type: z.string() }) });
export const noteableTypeOf = (payload: unknown, event: string): string =>
  readShape(about, payload, event).object_attributes.noteable_type;
