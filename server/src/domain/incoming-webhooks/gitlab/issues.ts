/** Issues, merge requests, and what is said about them. */
import { z } from "zod";
import { formatter, listed, optionalText, readShape, UnknownEvent, type Report } from "../formatter.ts";
import { code, line, link, saying } from "../markdown.ts";
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

const issue = z.object({
  object_attributes: z.object({ ...numbered, description: optionalText, action: z.string() }),
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
  return { topic: issueTopic(payload, its), content: saying(sentence, isNew ? its.description : "") };
});

const mergeRequest = z.object({
  object_attributes: z.object({
    ...numbered,
    description: optionalText,
    action: z.string(),
    source_branch: optionalText,
    target_branch: optionalText,
    /** There when commits were added. */
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
    content: saying(sentence, its.action === "open" ? its.description : ""),
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
  object_attributes: z.object({ note: optionalText, noteable_type: z.string(), url: optionalText }),
  commit: z.object({ id: z.string(), url: optionalText }).nullish(),
  merge_request: z.object(numbered).nullish(),
  issue: z.object(numbered).nullish(),
  snippet: z.object({ id: z.number(), title: z.string(), url: optionalText }).nullish(),
  ...user,
  ...project,
});

export const noted = formatter(note, (payload): Report => {
  const { note: words, url } = payload.object_attributes;
  const { topic, subject } = notedOn(payload);
  const sentence = `${nameOf(payload.user)} ${link("commented", url)} on ${subject}`;
  return { topic, content: saying(sentence, words) };
});

function notedOn(payload: z.output<typeof note>): { topic: string; subject: string } {
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

const acted = z.object({ object_attributes: z.object({ action: z.string() }) });
export const actionOf = (payload: unknown, event: string): string =>
  readShape(acted, payload, event).object_attributes.action;

const about = z.object({ object_attributes: z.object({ noteable_type: z.string() }) });
export const noteableTypeOf = (payload: unknown, event: string): string =>
  readShape(about, payload, event).object_attributes.noteable_type;
