/** GitHub and compatible servers. The header contains the event's name, the payload's `action` the kind of change. */
import { z } from "zod";
import { branchesOption, isOtherBranch } from "../branches.ts";
import { MissingHeader, UnknownEvent, type Formatter } from "../formatter.ts";
import type { Delivery, Integration } from "../integration.ts";
import { checkRan, deployed, deploymentStatusChanged, pageBuilt, statusChanged, workflowRan } from "./checks.ts";
import { discussionChanged, discussionCommented, issueChanged, issueCommented, issueEvent } from "./issues.ts";
import {
  pullRequestChanged,
  pullRequestEvent,
  pullRequestEvents,
  pullRequestReviewed,
  reviewCommented,
  reviewThreadChanged,
} from "./pull-requests.ts";
import { commitCommented, created, deleted, isTagPush, pushedCommits, pushedTag, wikiChanged } from "./pushes.ts";
import {
  forked,
  madePublic,
  memberChanged,
  membershipChanged,
  pinged,
  released,
  repositoryChanged,
  starred,
  teamAdded,
  teamChanged,
  watched,
} from "./repositories.ts";

/** By the event's name in filters. */
const formatters = new Map<string, Formatter>([
  ["check_run", checkRan],
  ["commit_comment", commitCommented],
  ["create", created],
  ["delete", deleted],
  ["deployment", deployed],
  ["deployment_status", deploymentStatusChanged],
  ["discussion", discussionChanged],
  ["discussion_comment", discussionCommented],
  ["fork", forked],
  ["gollum", wikiChanged],
  ["issue_comment", issueCommented],
  ["issues", issueChanged],
  ["labeled_or_unlabeled_issue", issueChanged],
  ["milestoned_or_demilestoned_issue", issueChanged],
  ["member", memberChanged],
  ["membership", membershipChanged],
  ["page_build", pageBuilt],
  ["ping", pinged],
  ["public", madePublic],
  ["pull_request_review", pullRequestReviewed],
  ["pull_request_review_comment", reviewCommented],
  ["pull_request_review_thread", reviewThreadChanged],
  ["push_commits", pushedCommits],
  ["push_tags", pushedTag],
  ["release", released],
  ["repository", repositoryChanged],
  ["star", starred],
  ["status", statusChanged],
  ["team", teamChanged],
  ["team_add", teamAdded],
  ["watch", watched],
  ["workflow_run", workflowRan],
  ...pullRequestEvents.map((event): [string, Formatter] => [event, pullRequestChanged]),
]);

/** Known events that are not worth a message. */
const silentEvents = new Set([
  "check_suite",
  "installation",
  "installation_repositories",
  "label",
  "merge_group",
  "meta",
  "milestone",
  "organization",
  "project",
  "project_card",
  "project_column",
  "projects_v2",
  "projects_v2_item",
  "repository_vulnerability_alert",
  "sub_issues",
  "workflow_dispatch",
  "workflow_job",
]);

/** Splits events that mean several things, based on the payload; undefined for events that are ignored. */
function eventOf(named: string, payload: unknown): string | undefined {
  if (named === "push") return isTagPush(payload) ? "push_tags" : "push_commits";
  if (named === "pull_request") return pullRequestEvent(payload);
  if (named === "issues") return issueEvent(payload);
  return silentEvents.has(named) ? undefined : named;
}

const isPrivate = (payload: unknown): boolean =>
  z.object({ repository: z.object({ private: z.literal(true) }) }).safeParse(payload).success;

function isPassedOver({ payload, option }: Delivery, event: string): boolean {
  if (option("ignore_private_repositories") === "true" && isPrivate(payload)) return true;
  return event === "push_commits" && isOtherBranch(payload, option(branchesOption.key));
}

export const github: Integration = {
  name: "github",
  displayName: "GitHub",
  clientName: "GitHub",
  eventTypes: [...formatters.keys()].toSorted(),
  options: [
    branchesOption,
    { key: "ignore_private_repositories", label: "Ignore private repositories", isSwitch: true },
  ],
  deliveryHeader: "x-github-delivery",
  proof: { header: "x-hub-signature-256", kind: "sha256-prefixed" },
  format(delivery) {
    const { header, payload } = delivery;
    const named = header("x-github-event");
    if (named === undefined || named === "") throw new MissingHeader("X-GitHub-Event");
    const event = eventOf(named, payload);
    if (event === undefined) return { event, reports: [] };
    const format = formatters.get(event);
    if (!format) throw new UnknownEvent(named);
    if (isPassedOver(delivery, event)) return { event, reports: [] };
    const report = format(payload, event);
    return { event, reports: report ? [report] : [] };
  },
};
