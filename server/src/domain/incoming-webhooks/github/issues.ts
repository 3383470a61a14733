import { z } from "zod";
import { formatter, optionalText } from "../formatter.ts";
import { code, line, link, saying } from "../markdown.ts";
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

const change = z.object({
  action: z.string(),
  issue,
  assignee: account.nullish(),
  label: z.object({ name: z.string() }).nullish(),
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
  const { action, issue: subject, assignee, label, milestone, changes } = payload;
  const its = issueLink(subject);
  switch (action) {
    case "assigned":
      return `assigned ${line(assignee?.login ?? "somebody")} to ${its}`;
    case "unassigned":
      return `unassigned ${line(assignee?.login ?? "somebody")} from ${its}`;
    case "labeled":
      return `added the label ${code(label?.name ?? "")} to ${its}`;
    case "unlabeled":
      return `removed the label ${code(label?.name ?? "")} from ${its}`;
    case "milestoned":
      return `added ${its} to the milestone ${link(milestone?.title ?? "", milestone?.html_url)}`;
    case "demilestoned":
      return `removed ${its} from the milestone ${link(milestone?.title ?? "", milestone?.html_url)}`;
    case "closed":
      return `closed ${its}${Object.hasOwn(closedAs, subject.state_reason) ? closedAs[subject.state_reason] : ""}`;
    case "transferred":
      return `moved ${its} to ${link(changes?.new_repository?.full_name ?? "another repository", changes?.new_repository?.html_url)}`;
    default:
      return `${line(action)} ${its}`;
  }
}

export const issueChanged = formatter(change, (payload) => {
  const { action, issue: subject, changes } = payload;
  const showsBody = action === "opened" || (action === "edited" && changes?.body !== undefined);
  const sentence = `${line(payload.sender.login)} ${sentenceFor(payload)}`;
  return { topic: issueTopic(payload, subject), content: saying(sentence, showsBody ? subject.body : "") };
});

/** The name to filter by. */
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

/** A comment on a pull request as a whole is delivered as one on an issue. */
export const issueCommented = formatter(commented, (payload) => {
  const { action, issue: subject, comment } = payload;
  const isPullRequest = subject.pull_request !== undefined;
  const on = isPullRequest ? pullRequestLink(subject) : issueLink(subject);
  const sentence = `${line(payload.sender.login)} ${commentVerb(action, comment.html_url)} ${on}`;
  return {
    topic: isPullRequest ? pullRequestTopic(payload, subject) : issueTopic(payload, subject),
    content: action === "deleted" ? `${sentence}.` : saying(sentence, comment.body),
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

const discussionChange = z.object({ action: z.string(), discussion, ...repository, ...sender });

export const discussionChanged = formatter(discussionChange, (payload) => {
  const { action, discussion: subject } = payload;
  const verb = action === "created" ? "started" : line(action).replaceAll("_", " ");
  const where = subject.category ? ` in ${line(subject.category.name)}` : "";
  const sentence = `${line(payload.sender.login)} ${verb} ${discussionLink(subject)}${where}`;
  return {
    topic: discussionTopic(payload, subject),
    content: saying(sentence, action === "created" || action === "edited" ? subject.body : ""),
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
    content: action === "deleted" ? `${sentence}.` : saying(sentence, comment.body),
  };
});
