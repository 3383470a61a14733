/** Pipelines, jobs and deployments. */
import { z } from "zod";
import { formatter, listed, optionalText } from "../formatter.ts";
import { blocks, code, line, link, list } from "../markdown.ts";
import { branchTopic, nameOf, person, project } from "./shapes.ts";

const statusTexts: Record<string, string> = {
  success: "succeeded",
  failed: "failed",
  canceled: "was cancelled",
  skipped: "was skipped",
  running: "is running",
  pending: "is waiting",
  created: "was created",
  manual: "waits for somebody to start it",
  scheduled: "is scheduled",
};
const statusText = (status: string): string =>
  (Object.hasOwn(statusTexts, status) ? statusTexts[status] : undefined) ?? `is now ${code(status)}`;

const shownJobs = 20;

const pipeline = z.object({
  object_attributes: z.object({
    id: z.number(),
    ref: z.string(),
    status: z.string(),
    url: optionalText,
    duration: z.number().nullish(),
  }),
  builds: listed(
    z.object({ id: z.number(), name: z.string(), stage: optionalText, status: z.string() }),
    shownJobs,
  ).nullish(),
  user: person.nullish(),
  ...project,
});

export const pipelineChanged = formatter(pipeline, (payload) => {
  const { id, ref, status, url, duration } = payload.object_attributes;
  const base = payload.project.web_url;
  const by = payload.user ? `, started by ${nameOf(payload.user)},` : "";
  const took = duration ? ` after ${Math.round(duration)} s` : "";
  const head = `${link(`Pipeline #${id}`, url || `${base}/-/pipelines/${id}`)} of ${code(ref)}${by} ${statusText(status)}${took}.`;
  const jobs = payload.builds;
  const shown = (jobs?.items ?? []).map(
    (job) => `${link(job.name, `${base}/-/jobs/${job.id}`)} ${statusText(job.status)}`,
  );
  return { topic: branchTopic(payload, ref), content: blocks(head, list(shown, jobs?.total)) };
});

const job = z.object({
  ref: z.string(),
  build_id: z.number(),
  build_name: z.string(),
  build_stage: optionalText,
  build_status: z.string(),
  build_failure_reason: optionalText,
  repository: z.object({ name: z.string(), homepage: optionalText }),
  user: person.nullish(),
});

export const jobChanged = formatter(job, (payload) => {
  const { build_id, build_name, build_stage, build_status, build_failure_reason, repository, ref, user } = payload;
  const stage = build_stage === "" ? "" : ` in the stage ${code(build_stage)}`;
  const by = user ? `, started by ${nameOf(user)},` : "";
  const why =
    build_status === "failed" && build_failure_reason !== "" && build_failure_reason !== "unknown_failure"
      ? ` (${line(build_failure_reason).replaceAll("_", " ")})`
      : "";
  return {
    topic: `${repository.name} / ${ref}`,
    content: `The job ${link(build_name, `${repository.homepage}/-/jobs/${build_id}`)}${stage}${by} ${statusText(build_status)}${why}.`,
  };
});

const deployment = z.object({
  status: z.string(),
  environment: z.string(),
  deployable_url: optionalText,
  short_sha: optionalText,
  commit_url: optionalText,
  user: person.nullish(),
  ...project,
});

export const deploymentChanged = formatter(deployment, (payload) => {
  const { status, environment, deployable_url, short_sha, commit_url, user } = payload;
  const by = user ? `, started by ${nameOf(user)},` : "";
  return {
    topic: `${payload.project.name} / Deployment on ${environment}`,
    content: `${link("The deployment", deployable_url)} of ${link(short_sha, commit_url)} to ${code(environment)}${by} ${statusText(status)}.`,
  };
});
