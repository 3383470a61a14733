import { z } from "zod";
import { formatter, listed, optionalText, readShape, UnknownEvent, type Formatter } from "../formatter.ts";
import { blocks, code, line, link, quote, withQuote } from "../markdown.ts";
import { account, commitLink, numbered, pullRequestLink, pullRequestTopic, repository, sender } from "./shapes.ts";

const branchEnd = z.object({ ref: z.string(), label: optionalText });

const pullRequest = z.object({
  ...numbered,
  body: optionalText,
  draft: z.boolean().nullish(),
  merged: z.boolean().nullish(),
  head: branchEnd,
  base: branchEnd,
});

const change = z.object({
  action: z.string(),
  pull_request: pullRequest,
  assignee: account.nullish(),
  requested_reviewer: account.nullish(),
  requested_team: z.object({ name: z.string() }).nullish(),
  label: z.object({ name: z.string() }).nullish(),
  milestone: z.object({ title: z.string() }).nullish(),
  changes: z.object({ body: z.unknown().optional(), title: z.object({ from: z.string() }).nullish() }).nullish(),
  before: optionalText,
  after: optionalText,
  ...repository,
  ...sender,
});
type Change = z.output<typeof change>;

/** The text for each action, and the event's name in filters. Other actions are ignored. */
const actions: Record<string, { event: string; say: (payload: Change) => string }> = {
  opened: { event: "opened_or_update_pull_request", say: opened },
  reopened: { event: "opened_or_update_pull_request", say: (payload) => did(payload, "reopened") },
  synchronize: { event: "opened_or_update_pull_request", say: updated },
  edited: { event: "opened_or_update_pull_request", say: edited },
  closed: { event: "closed_pull_request", say: closed },
  assigned: {
    event: "assigned_or_unassigned_pull_request",
    say: (payload) => did(payload, `assigned ${line(payload.assignee?.login ?? "somebody")} to`),
  },
  unassigned: {
    event: "assigned_or_unassigned_pull_request",
    say: (payload) => did(payload, `unassigned ${line(payload.assignee?.login ?? "somebody")} from`),
  },
  review_requested: {
    event: "pull_request_review_requested",
    say: (payload) => did(payload, `asked ${reviewer(payload)} for a review of`),
  },
  ready_for_review: {
    event: "pull_request_ready_for_review",
    say: (payload) => `${who(payload)} marked ${pullRequestLink(payload.pull_request)} as ready for review.`,
  },
  auto_merge_enabled: { event: "pull_request_auto_merge", say: (payload) => did(payload, "turned on auto-merge for") },
  auto_merge_disabled: {
    event: "pull_request_auto_merge",
    say: (payload) => did(payload, "turned off auto-merge for"),
  },
  locked: {
    event: "locked_or_unlocked_pull_request",
    say: (payload) => did(payload, "locked the conversation of"),
  },
  unlocked: {
    event: "locked_or_unlocked_pull_request",
    say: (payload) => did(payload, "unlocked the conversation of"),
  },
};

/** Actions that another event reports, or that are not worth a message. */
const silentActions = new Set([
  "converted_to_draft",
  "dequeued",
  "demilestoned",
  "enqueued",
  "labeled",
  "milestoned",
  "review_request_removed",
  "unlabeled",
]);

export const pullRequestEvents = [...new Set(Object.values(actions).map(({ event }) => event))];

/** The event's name in filters; undefined for actions that are ignored. */
export function pullRequestEvent(payload: unknown): string | undefined {
  const { action } = readShape(z.object({ action: z.string() }), payload, "pull_request");
  const known = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (known) return known.event;
  if (silentActions.has(action)) return undefined;
  throw new UnknownEvent(`pull_request:${action}`);
}

export const pullRequestChanged = formatter(change, (payload) => {
  const content = actions[payload.action]?.say(payload);
  return content === undefined ? undefined : { topic: pullRequestTopic(payload, payload.pull_request), content };
});

const who = ({ sender: { login } }: Change): string => line(login);
const did = (payload: Change, verb: string): string =>
  `${who(payload)} ${verb} ${pullRequestLink(payload.pull_request)}.`;

const reviewer = ({ requested_reviewer, requested_team }: Change): string =>
  line(requested_reviewer?.login ?? requested_team?.name ?? "somebody");

function opened(payload: Change): string {
  const { pull_request } = payload;
  const what = pull_request.draft ? "opened the draft" : "opened";
  const from = `from ${code(pull_request.head.label || pull_request.head.ref)} to ${code(pull_request.base.ref)}`;
  return withQuote(`${who(payload)} ${what} ${pullRequestLink(pull_request)} ${from}`, pull_request.body);
}

function updated(payload: Change): string {
  const to = payload.after === "" ? "" : ` to ${commitLink(payload, payload.after)}`;
  return `${who(payload)} updated ${pullRequestLink(payload.pull_request)}${to}.`;
}

function edited(payload: Change): string {
  const { changes, pull_request } = payload;
  const sentence = `${who(payload)} edited ${pullRequestLink(pull_request)}`;
  const renamed = changes?.title ? `It was called: ${line(changes.title.from)}` : "";
  const body = changes?.body === undefined ? "" : quote(pull_request.body);
  return blocks(`${sentence}.`, renamed, body);
}

function closed(payload: Change): string {
  const { pull_request } = payload;
  if (!pull_request.merged) return `${who(payload)} closed ${pullRequestLink(pull_request)} without merging it.`;
  return `${who(payload)} merged ${pullRequestLink(pull_request)} into ${code(pull_request.base.ref)}.`;
}

const reviewed = z.object({
  action: z.string(),
  review: z.object({ html_url: z.string(), state: optionalText, body: optionalText, user: account.nullish() }),
  pull_request: z.object(numbered),
  ...repository,
  ...sender,
});

const verdicts: Record<string, string> = {
  approved: "approved",
  changes_requested: "requested changes to",
  commented: "reviewed",
  dismissed: "dismissed a review of",
};

export const pullRequestReviewed = formatter(reviewed, (payload) => {
  const { action, review, pull_request } = payload;
  // A review's comments are delivered one by one; the review itself adds nothing to them.
  if (action === "submitted" && review.state === "commented" && review.body.trim() === "") return undefined;
  const state = review.state.toLowerCase();
  const verdict = Object.hasOwn(verdicts, state) ? verdicts[state] : undefined;
  const verb = action === "edited" ? "edited a review of" : (verdict ?? "reviewed");
  const sentence = `${line(payload.sender.login)} ${link(verb, review.html_url)} ${pullRequestLink(pull_request)}`;
  return { topic: pullRequestTopic(payload, pull_request), content: withQuote(sentence, review.body) };
});

const reviewComment = z.object({
  action: z.string(),
  comment: z.object({
    html_url: z.string(),
    body: optionalText,
    path: optionalText,
    line: z.number().nullish(),
    user: account.nullish(),
  }),
  pull_request: z.object(numbered),
  ...repository,
  ...sender,
});

export const reviewCommented = formatter(reviewComment, (payload) => {
  const { action, comment, pull_request } = payload;
  const where =
    comment.path === "" ? "" : ` at ${code(comment.line ? `${comment.path}:${comment.line}` : comment.path)}`;
  const sentence = `${line(payload.sender.login)} ${commentVerb(action, comment.html_url)} ${pullRequestLink(pull_request)}${where}`;
  return {
    topic: pullRequestTopic(payload, pull_request),
    content: action === "deleted" ? `${sentence}.` : withQuote(sentence, comment.body),
  };
});

export function commentVerb(action: string, url: string): string {
  if (action === "created") return `${link("commented", url)} on`;
  if (action === "deleted") return "deleted a comment on";
  return `${line(action)} a ${link("comment", url)} on`;
}

const thread = z.object({
  action: z.string(),
  thread: z.object({ comments: listed(z.object({ html_url: z.string(), path: optionalText })) }),
  pull_request: z.object(numbered),
  ...repository,
  ...sender,
});

export const reviewThreadChanged: Formatter = formatter(thread, (payload) => {
  const [first] = payload.thread.comments.items;
  const verb = payload.action === "resolved" ? "resolved" : "reopened";
  return {
    topic: pullRequestTopic(payload, payload.pull_request),
    content: `${line(payload.sender.login)} ${verb} ${link("a conversation", first?.html_url)} of ${pullRequestLink(payload.pull_request)}.`,
  };
});
