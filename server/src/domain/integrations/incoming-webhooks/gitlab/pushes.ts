/** Commits, branches and tags. */
import { z } from "zod";
import { formatter, listed, optionalText } from "../formatter.ts";
import { blocks, code, line, link, list, plural, urlPart } from "../markdown.ts";
import { branchTopic, project, projectTopic, shortSha } from "./shapes.ts";

const shownCommits = 20;

const push = z.object({
  ref: z.string(),
  before: z.string(),
  after: z.string(),
  user_name: optionalText,
  user_username: optionalText,
  total_commits_count: z.number().nullish(),
  commits: listed(z.object({ id: z.string(), message: z.string(), url: optionalText }), shownCommits),
  ...project,
});

/** The hash that stands for a branch that does not exist (before it is created, after it is deleted). */
const isNothing = (sha: string): boolean => /^0+$/.test(sha);

export const pushedCommits = formatter(push, (payload) => {
  const { before, after, commits } = payload;
  const branch = payload.ref.replace(/^refs\/heads\//, "");
  const topic = branchTopic(payload, branch);
  const who = line(payload.user_name || payload.user_username || "Somebody");
  if (isNothing(after)) return { topic, content: `${who} deleted the branch ${code(branch)}.` };
  const count = Math.max(payload.total_commits_count ?? 0, commits.total);
  const isNew = isNothing(before);
  if (count === 0 && isNew) return { topic, content: `${who} created the branch ${code(branch)}.` };
  const compare = isNew ? undefined : `${payload.project.web_url}/-/compare/${before}...${after}`;
  if (count === 0) {
    // No new commits: the branch now points at an existing commit.
    const target = link(shortSha(after), `${payload.project.web_url}/-/commit/${after}`);
    return { topic, content: `${who} ${link("moved", compare)} the branch ${code(branch)} to ${target}.` };
  }
  const head = `${who} ${link("pushed", compare)} ${plural(count, "commit")} to ${isNew ? "the new branch" : "the branch"} ${code(branch)}.`;
  const shown = commits.items.map(
    ({ message, id, url }) => `${line(message.split("\n", 1)[0] ?? "")} (${link(shortSha(id), url)})`,
  );
  return { topic, content: blocks(head, list(shown, count)) };
});

const tagPush = push.extend({ message: optionalText });

export const pushedTag = formatter(tagPush, (payload) => {
  const tag = payload.ref.replace(/^refs\/tags\//, "");
  const who = line(payload.user_name || payload.user_username || "Somebody");
  const content = isNothing(payload.after)
    ? `${who} removed the tag ${code(tag)}.`
    : `${who} pushed the tag ${link(tag, `${payload.project.web_url}/-/tags/${urlPart(tag)}`)}.`;
  return { topic: projectTopic(payload), content };
});
