/** Commits, branches and tags. */
import { z } from "zod";
import { formatter, listed, optionalText, type Formatter } from "../formatter.ts";
import { blocks, code, line, link, list, plural, withQuote, urlPart } from "../markdown.ts";
import {
  account,
  accountOrGhost,
  branchTopic,
  commitLink,
  repository,
  repositoryLink,
  repositoryTopic,
  sender,
  shortSha,
} from "./shapes.ts";

const shownCommits = 20;

const commit = z.object({
  id: z.string(),
  message: z.string(),
  url: z.string(),
  author: z.object({ name: optionalText, username: optionalText }),
});

const push = z.object({
  ref: z.string(),
  compare: z.string(),
  created: z.boolean().nullish(),
  deleted: z.boolean().nullish(),
  forced: z.boolean().nullish(),
  /** The total number, if the list is truncated. */
  size: z.number().nullish(),
  commits: listed(commit, shownCommits),
  after: optionalText,
  pusher: z.object({ name: optionalText }).nullish(),
  /** Null for pushes by a merge queue. */
  sender: account.nullish(),
  ...repository,
});
type Push = z.output<typeof push>;

const whoPushed = ({ sender: by, pusher }: Push): string => line(by?.login || pusher?.name || "Somebody");

export const isTagPush = (payload: unknown): boolean =>
  z.object({ ref: z.templateLiteral(["refs/tags/", z.string()]) }).safeParse(payload).success;

export const pushedCommits = formatter(push, (payload) => {
  const branch = payload.ref.replace(/^refs\/heads\//, "");
  const topic = branchTopic(payload, branch);
  const who = whoPushed(payload);
  if (payload.deleted) return { topic, content: `${who} deleted the branch ${code(branch)}.` };
  const { items, total } = payload.commits;
  const count = Math.max(payload.size ?? 0, total);
  if (count === 0) {
    if (payload.created) return { topic, content: `${who} created the branch ${link(branch, payload.compare)}.` };
    // No new commits: the branch now points at an existing commit.
    const verb = payload.forced ? "force-pushed" : "moved";
    return { topic, content: `${who} ${link(verb, payload.compare)} the branch ${code(branch)}${to(payload)}.` };
  }
  const verb = payload.forced ? "force-pushed" : "pushed";
  const onto = payload.created ? "the new branch" : "the branch";
  const head = `${who} ${link(verb, payload.compare)} ${plural(count, "commit")} to ${onto} ${code(branch)}${byWhom(items)}.`;
  const commits = items.map(({ message, id, url }) => `${subject(message)} (${link(shortSha(id), url)})`);
  return { topic, content: blocks(head, list(commits, count)) };
});

const to = (payload: Push): string => (payload.after === "" ? "" : ` to ${commitLink(payload, payload.after)}`);

/** The authors, if there is more than one. */
function byWhom(commits: z.output<typeof commit>[]): string {
  const names = [...new Set(commits.map(({ author }) => author.username || author.name).filter((name) => name !== ""))];
  return names.length > 1 ? `, written by ${names.map((name) => line(name)).join(", ")}` : "";
}

const subject = (message: string): string => line(message.split("\n", 1)[0] ?? "");

export const pushedTag = formatter(push, (payload) => {
  const tag = payload.ref.replace(/^refs\/tags\//, "");
  const content = payload.deleted
    ? `${whoPushed(payload)} deleted the tag ${code(tag)}.`
    : `${whoPushed(payload)} ${payload.forced ? "moved" : "pushed"} the tag ${link(tag, `${payload.repository.html_url}/tree/${urlPart(tag)}`)}.`;
  return { topic: repositoryTopic(payload), content };
});

const refChange = z.object({ ref: z.string(), ref_type: z.string(), ...repository, ...sender });

const refChanged = (verb: string): Formatter =>
  formatter(refChange, (payload) => ({
    topic: payload.ref_type === "branch" ? branchTopic(payload, payload.ref) : repositoryTopic(payload),
    content: `${line(payload.sender.login)} ${verb} the ${line(payload.ref_type)} ${code(payload.ref)}.`,
  }));

export const created = refChanged("created");
export const deleted = refChanged("deleted");

const commitComment = z.object({
  comment: z.object({ html_url: z.string(), commit_id: z.string(), body: optionalText, user: accountOrGhost }),
  ...repository,
});

export const commitCommented = formatter(commitComment, (payload) => {
  const { comment } = payload;
  const sentence = `${line(comment.user.login)} ${link("commented", comment.html_url)} on ${commitLink(payload, comment.commit_id)}`;
  return { topic: repositoryTopic(payload), content: withQuote(sentence, comment.body) };
});

const wiki = z.object({
  pages: listed(z.object({ title: z.string(), action: z.string(), html_url: z.string() })),
  ...repository,
  ...sender,
});

export const wikiChanged = formatter(wiki, (payload) => {
  const pages = payload.pages.items.map(({ title, action, html_url }) => `${line(action)} ${link(title, html_url)}`);
  const head = `${line(payload.sender.login)} changed the wiki of ${repositoryLink(payload)}:`;
  return {
    topic: `${repositoryTopic(payload)} / wiki pages`,
    content: blocks(head, list(pages, payload.pages.total)),
  };
});
