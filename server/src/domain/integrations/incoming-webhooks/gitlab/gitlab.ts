/** GitLab. The header contains the kind of event; some kinds are split further, based on the payload. */
import { z } from "zod";
import { branchesOption, isOtherBranch } from "../branches.ts";
import { MissingHeader, UnknownEvent, type Formatter } from "../formatter.ts";
import type { Integration } from "../integration.ts";
import { actionOf, issueChanged, mergeRequestChanged, noteableTypeOf, noted } from "./issues.ts";
import { deploymentChanged, jobChanged, pipelineChanged } from "./pipelines.ts";
import { accessTokenExpiring, featureFlagChanged, released, wikiChanged } from "./projects.ts";
import { pushedCommits, pushedTag } from "./pushes.ts";

const under = (hook: string, kinds: string[], format: Formatter): [string, Formatter][] =>
  kinds.map((kind) => [`${hook} ${kind}`, format]);

const issueActions = ["open", "close", "reopen", "update"];
const mergeRequestActions = [...issueActions, "merge", "approved", "unapproved", "approval", "unapproval"];

/** By the event's name in filters. */
const formatters = new Map<string, Formatter>([
  ["Push Hook", pushedCommits],
  ["Tag Push Hook", pushedTag],
  ...under("Issue Hook", issueActions, issueChanged),
  ...under("Confidential Issue Hook", issueActions, issueChanged),
  ...under("Note Hook", ["Commit", "MergeRequest", "Issue", "Snippet"], noted),
  ...under("Confidential Note Hook", ["MergeRequest", "Issue"], noted),
  ...under("Merge Request Hook", mergeRequestActions, mergeRequestChanged),
  ...under("Wiki Page Hook", ["create", "update", "delete"], wikiChanged),
  ["Job Hook", jobChanged],
  ["Build Hook", jobChanged],
  ["Pipeline Hook", pipelineChanged],
  ["Deployment Hook", deploymentChanged],
  ["Release Hook", released],
  ["Feature Flag Hook", featureFlagChanged],
  ["Resource Access Token Hook", accessTokenExpiring],
]);

const withAction = new Set(["Issue Hook", "Confidential Issue Hook", "Merge Request Hook", "Wiki Page Hook"]);
const withSubject = new Set(["Note Hook", "Confidential Note Hook"]);

/** A system hook sends the same events as project hooks, under a single name. */
const ofSystem = new Map([
  ["push", "Push Hook"],
  ["tag_push", "Tag Push Hook"],
  ["merge_request", "Merge Request Hook"],
]);

/** A system hook sends this in addition to every push, without further information. */
const silentOfSystem = new Set(["repository_update"]);

/** Undefined for events that are ignored. */
function eventOf(named: string, payload: unknown): string | undefined {
  if (named === "System Hook") {
    const kinds = z.object({ object_kind: z.string().nullish(), event_name: z.string().nullish() }).safeParse(payload);
    const kind = kinds.data?.object_kind ?? kinds.data?.event_name ?? "";
    if (silentOfSystem.has(kind)) return undefined;
    const hook = ofSystem.get(kind);
    if (hook === undefined) throw new UnknownEvent(`${named} ${kind}`);
    return eventOf(hook, payload);
  }
  if (withAction.has(named)) return `${named} ${actionOf(payload, named)}`;
  if (withSubject.has(named)) return `${named} ${noteableTypeOf(payload, named)}`;
  return named;
}

export const gitlab: Integration = {
  name: "gitlab",
  displayName: "GitLab",
  clientName: "GitLab",
  eventTypes: [...formatters.keys()].toSorted(),
  options: [branchesOption],
  proof: { header: "x-gitlab-token", kind: "secret" },
  format({ header, payload, option }) {
    const named = header("x-gitlab-event");
    if (named === undefined || named === "") throw new MissingHeader("X-Gitlab-Event");
    const event = eventOf(named, payload);
    if (event === undefined) return { event, reports: [] };
    const format = formatters.get(event);
    if (!format) throw new UnknownEvent(event);
    if (event === "Push Hook" && isOtherBranch(payload, option(branchesOption.key))) return { event, reports: [] };
    const report = format(payload, event);
    return { event, reports: report ? [report] : [] };
  },
};
