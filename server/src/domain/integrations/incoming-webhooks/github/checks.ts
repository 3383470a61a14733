/** Results of checks and workflows, and deployments. */
import { z } from "zod";
import { formatter, optionalText } from "../formatter.ts";
import { code, line, link, withQuote } from "../markdown.ts";
import { branchTopic, commitLink, repository, repositoryTopic, sender } from "./shapes.ts";

const ended: Record<string, string> = {
  success: "succeeded",
  failure: "failed",
  error: "ended with an error",
  cancelled: "was cancelled",
  skipped: "was skipped",
  timed_out: "took too long",
  action_required: "needs somebody to act",
  neutral: "ended neutrally",
  stale: "became stale",
  startup_failure: "failed to start",
};
const endedAs = (conclusion: string): string =>
  (Object.hasOwn(ended, conclusion) ? ended[conclusion] : undefined) ?? `ended as ${code(conclusion)}`;

const checkRun = z.object({
  check_run: z.object({
    name: z.string(),
    html_url: optionalText,
    status: z.string(),
    conclusion: optionalText,
    head_sha: z.string(),
  }),
  ...repository,
});

/** Reported when it has completed. */
export const checkRan = formatter(checkRun, (payload) => {
  const { check_run: run } = payload;
  if (run.status !== "completed") return undefined;
  return {
    topic: `${repositoryTopic(payload)} / checks`,
    content: `The check ${link(run.name, run.html_url)} ${endedAs(run.conclusion)} for ${commitLink(payload, run.head_sha)}.`,
  };
});

const status = z.object({
  sha: z.string(),
  state: z.string(),
  context: optionalText,
  description: optionalText,
  target_url: optionalText,
  ...repository,
});

export const statusChanged = formatter(status, (payload) => {
  const { state, context, description, target_url, sha } = payload;
  const what = link(context === "" ? "status" : context, target_url);
  const sentence = `${commitLink(payload, sha)}: ${what} ${state === "pending" ? "is pending" : endedAs(state)}`;
  return {
    topic: repositoryTopic(payload),
    content: description === "" ? `${sentence}.` : `${sentence}: ${line(description)}`,
  };
});

const workflowRun = z.object({
  action: z.string(),
  workflow_run: z.object({
    name: optionalText,
    display_title: optionalText,
    run_number: z.number().nullish(),
    html_url: z.string(),
    conclusion: optionalText,
    head_branch: optionalText,
    head_sha: z.string(),
  }),
  workflow: z.object({ name: z.string() }).nullish(),
  ...repository,
});

/** Reported when it has completed. */
export const workflowRan = formatter(workflowRun, (payload) => {
  const { action, workflow_run: run, workflow } = payload;
  if (action !== "completed") return undefined;
  const name = workflow?.name ?? run.name;
  const number = run.run_number ? ` #${run.run_number}` : "";
  const title = run.display_title === "" ? "" : ` (${line(run.display_title)})`;
  return {
    topic: run.head_branch === "" ? repositoryTopic(payload) : branchTopic(payload, run.head_branch),
    content: `The workflow ${link(`${name}${number}`, run.html_url)} ${endedAs(run.conclusion)} for ${commitLink(payload, run.head_sha)}${title}.`,
  };
});

const deployment = z.object({
  environment: z.string(),
  ref: optionalText,
  sha: z.string(),
  description: optionalText,
});
const deploymentTopic = (payload: Parameters<typeof repositoryTopic>[0], environment: string): string =>
  `${repositoryTopic(payload)} / Deployment on ${environment}`;

export const deployed = formatter(z.object({ deployment, ...repository, ...sender }), (payload) => {
  const { environment, ref, sha, description } = payload.deployment;
  const what = ref === "" ? commitLink(payload, sha) : `${code(ref)} (${commitLink(payload, sha)})`;
  const sentence = `${line(payload.sender.login)} began to deploy ${what} to ${code(environment)}`;
  return { topic: deploymentTopic(payload, environment), content: withQuote(sentence, description) };
});

const deploymentStatus = z.object({
  deployment,
  deployment_status: z.object({ state: z.string(), target_url: optionalText, description: optionalText }),
  ...repository,
});

export const deploymentStatusChanged = formatter(deploymentStatus, (payload) => {
  const { environment, sha } = payload.deployment;
  const { state, target_url, description } = payload.deployment_status;
  const sentence = `${link("The deployment", target_url)} of ${commitLink(payload, sha)} to ${code(environment)} is now ${code(state)}`;
  return { topic: deploymentTopic(payload, environment), content: withQuote(sentence, description) };
});

const pageBuild = z.object({
  build: z.object({
    status: z.string().nullish(),
    commit: optionalText,
    error: z.object({ message: optionalText }).nullish(),
    pusher: z.object({ login: z.string() }).nullish(),
  }),
  ...repository,
});

export const pageBuilt = formatter(pageBuild, (payload) => {
  const { status: state, error, pusher } = payload.build;
  const by = pusher ? `, started by ${line(pusher.login)},` : "";
  const outcome = state === "built" ? "is done" : `is now ${code(state ?? "unknown")}`;
  return {
    topic: repositoryTopic(payload),
    content: withQuote(`The build of the site${by} ${outcome}`, error?.message),
  };
});
