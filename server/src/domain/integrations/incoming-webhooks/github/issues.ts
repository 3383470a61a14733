import { z } from "zod";
import { formatter, optionalText } from "../formatter.ts";
import { code, line, link, withQuote } from "../markdown.ts";
import { commentVerb } from "./pull-requests.ts";
import {
  account,
  issueLink,
  issueTopic,
  numbered,
  pullRequestLink,
  pullRequestTopic,
  repository,
  repositoryTopic,
  sender,
} from "./shapes.ts";

const issue = z.object({ ...numbered, body: optionalText, state_reason: optionalText });

const label = z.object({ name: z.string() }).nullish();
type Label = z.output<typeof label>;

const change = z.object({
  action: z.string(),
  issue,
  type: z.object({ name: z.string() }).nullish(),
  assignee: account.nullish(),
  label,
  milestone: z.object({ title: z.string(), html_url: optionalText }).nullish(),
  changes: z
    .object({
      body: z.unknown().optional(),
      title: z.object({ from: z.string() }).nullish(),
      new_repository: z.object({ full_name: z.string(), html_url: z.string() }).nullish(),
    })
    .nullish(),
  ...repository,
  ...sender,
});
type Change = z.output<typeof change>;

const closedAs: Record<string, string> = {
  completed: " as completed",
  not_planned: " as not planned",
  duplicate: " as a duplicate",
};

function sentenceFor(payload: Change): string {
  const { action, issue: subject, assignee, label: itsLabel, milestone, changes, type } = payload;
  const its = issueLink(subject);
  switch (action) {
    case "assigned":
      return `assigned ${line(assignee?.login ?? "somebody")} to ${its}`;
    case "unassigned":
      return `unassigned ${line(assignee?.login ?? "somebody")} from ${its}`;
    case "labeled":
      return `added ${labelled(itsLabel)} to ${its}`;
    case "unlabeled":
      return `removed ${labelled(itsLabel)} from ${its}`;
    case "milestoned":
      return `added ${its} to ${milestoneLink(milestone)}`;
    case "demilestoned":
      return `removed ${its} from ${milestoneLink(milestone)}`;
    case "closed":
      return `closed ${its}${Object.hasOwn(closedAs, subject.state_reason) ? closedAs[subject.state_reason] : ""}`;
    case "transferred":
      return `moved ${its} to ${link(changes?.new_repository?.full_name ?? "another repository", changes?.new_repository?.html_url)}`;
    case "typed":
      return `set the type of ${its}${type ? ` to ${code(type.name)}` : ""}`;
    case "untyped":
      return `removed the type of ${its}`;
    case "locked":
    case "unlocked":
      return `${action} the conversation of ${its}`;
    default:
      return `${line(action)} ${its}`;
  }
}

/** The payload does not contain a label that was removed because it was deleted. */
const labelled = (its: Label): string => (its ? `the label ${code(its.name)}` : "a label");
const milestoneLink = (milestone: Change["milestone"]): string =>
  milestone ? `the milestone ${link(milestone.title, milestone.html_url)}` : "a milestone";

export const issueChanged = formatter(change, (payload) => {
  const { action, issue: subject, changes } = payload;
  const showsBody = action === "opened" || (action === "edited" && changes?.body !== undefined);
  const sentence = `${line(payload.sender.login)} ${sentenceFor(payload)}`;
  return { topic: issueTopic(payload, subject), content: withQuote(sentence, showsBody ? subject.body : "") };
});

/** The event's name in filters. */
export function issueEvent(payload: unknown): string {
  const action = z.object({ action: z.string() }).safeParse(payload).data?.action;
  if (action === "labeled" || action === "unlabeled") return "labeled_or_unlabeled_issue";
  if (action === "milestoned" || action === "demilestoned") return "milestoned_or_demilestoned_issue";
  return "issues";
}

const commented = z.object({
  action: z.string(),
  issue: z.object({ ...numbered, pull_request: z.unknown().optional() }),
  comment: z.object({ html_url: z.string(), body: optionalText }),
  ...repository,
  ...sender,
});

/** GitHub delivers a comment on a whole pull request as a comment on an issue. */
export const issueCommented = formatter(commented, (payload) => {
  const { action, issue: subject, comment } = payload;
  const isPullRequest = subject.pull_request !== undefined && subject.pull_request !== null;
  const on = isPullRequest ? pullRequestLink(subject) : issueLink(subject);
  const sentence = `${line(payload.sender.login)} ${commentVerb(action, comment.html_url)} ${on}`;
  return {
    topic: isPullRequest ? pullRequestTopic(payload, subject) : issueTopic(payload, subject),
    content: action === "deleted" ? `${sentence}.` : withQuote(sentence, comment.body),
  };
});

const discussion = z.object({
  ...numbered,
  body: optionalText,
  category: z.object({ name: z.string() }).nullish(),
});
type Discussion = z.output<typeof discussion>;

const discussionLink = ({ number, title, html_url }: Discussion): string =>
  link(`discussion #${number} ${title}`, html_url);
const discussionTopic = (payload: Parameters<typeof repositoryTopic>[0], { number, title }: Discussion): string =>
  `${repositoryTopic(payload)} discussion #${number}: ${title}`;

const discussionChange = z.object({ action: z.string(), discussion, label, ...repository, ...sender });

function discussionSentence({ action, discussion: subject, label: its }: z.output<typeof discussionChange>): string {
  const where = subject.category ? ` in ${line(subject.category.name)}` : "";
  const shown = `${discussionLink(subject)}${where}`;
  switch (action) {
    case "created":
      return `started ${shown}`;
    case "answered":
      return `marked an answer to ${shown}`;
    case "unanswered":
      return `unmarked the answer to ${shown}`;
    case "labeled":
      return `added ${labelled(its)} to ${shown}`;
    case "unlabeled":
      return `removed ${labelled(its)} from ${shown}`;
    case "category_changed":
      return `moved ${discussionLink(subject)}${subject.category ? ` to ${line(subject.category.name)}` : ""}`;
    default:
      return `${line(action).replaceAll("_", " ")} ${shown}`;
  }
}

export const discussionChanged = formatter(discussionChange, (payload) => {
  const { action, discussion: subject } = payload;
  const sentence = `${line(payload.sender.login)} ${discussionSentence(payload)}`;
  return {
    topic: discussionTopic(payload, subject),
    content: withQuote(sentence, action === "created" || action === "edited" ? subject.body : ""),
  };
});

const discussionComment = z.object({
  action: z.string(),
  comment: z.object({ html_url: z.string(), body: optionalText }),
  discussion,
  ...repository,
  ...sender,
});

export const discussionCommented = formatter(discussionComment, (payload) => {
  const { action, comment, discussion: subject } = payload;
  const sentence = `${line(payload.sender.login)} ${commentVerb(action, comment.html_url)} ${discussionLink(subject)}`;
  return {
    topic: discussionTopic(payload, subject),
    content: action === "deleted" ? `${sentence}.` : withQuote(sentence, comment.body),
  };
});
