/** The repository itself, its stars and forks, and its members. */
import { z } from "zod";
import { formatter, optionalText } from "../formatter.ts";
import { code, line, link, withQuote } from "../markdown.ts";
import { account, repository, repositoryLink, repositoryTopic, sender } from "./shapes.ts";

const ping = z.object({
  zen: optionalText,
  hook: z.object({ type: optionalText }).nullish(),
  repository: repository.repository.nullish(),
  organization: account.nullish(),
  sender: account.nullish(),
});

export const pinged = formatter(ping, ({ repository: its, organization, sender: by }) => {
  const whose = its ? link(its.full_name, its.html_url) : line(organization?.login ?? "an organization");
  const who = by ? `${line(by.login)} has set it up` : "It is set up";
  return {
    topic: its?.name ?? organization?.login ?? "GitHub",
    content: `The webhook of ${whose} works. ${who}.`,
  };
});

const release = z.object({
  action: z.string(),
  release: z.object({
    html_url: z.string(),
    name: optionalText,
    tag_name: z.string(),
    body: optionalText,
    prerelease: z.boolean().nullish(),
    draft: z.boolean().nullish(),
  }),
  ...repository,
  ...sender,
});

/** GitHub delivers these in addition to `published` or `edited`, for the same change. */
const reportedByAnotherEvent = new Set(["created", "released", "prereleased"]);

export const released = formatter(release, (payload) => {
  const { action, release: its } = payload;
  if (reportedByAnotherEvent.has(action)) return undefined;
  const kind = its.prerelease ? "pre-release" : "release";
  const sentence = `${line(payload.sender.login)} ${line(action)} the ${kind} ${link(its.name || its.tag_name, its.html_url)} of the tag ${code(its.tag_name)}`;
  const showsBody = action === "published" || action === "edited";
  return { topic: repositoryTopic(payload), content: withQuote(sentence, showsBody ? its.body : "") };
});

export const forked = formatter(
  z.object({ forkee: z.object({ full_name: z.string(), html_url: z.string() }), ...repository, ...sender }),
  (payload) => ({
    topic: repositoryTopic(payload),
    content: `${line(payload.sender.login)} forked ${repositoryLink(payload)} as ${link(payload.forkee.full_name, payload.forkee.html_url)}.`,
  }),
);

const acted = z.object({ action: z.string(), ...repository, ...sender });

export const starred = formatter(acted, (payload) => ({
  topic: repositoryTopic(payload),
  content: `${line(payload.sender.login)} ${payload.action === "deleted" ? "unstarred" : "starred"} ${repositoryLink(payload)}.`,
}));

/** GitHub's older name for a new star. */
export const watched = formatter(acted, (payload) => ({
  topic: repositoryTopic(payload),
  content: `${line(payload.sender.login)} starred ${repositoryLink(payload)}.`,
}));

const repositoryChange = acted.extend({
  changes: z.object({ repository: z.object({ name: z.object({ from: z.string() }).nullish() }).nullish() }).nullish(),
});

const repositoryVerbs: Record<string, string> = { publicized: "made public", privatized: "made private" };

export const repositoryChanged = formatter(repositoryChange, (payload) => {
  const { action, changes } = payload;
  const verb = (Object.hasOwn(repositoryVerbs, action) ? repositoryVerbs[action] : undefined) ?? line(action);
  const from = changes?.repository?.name ? `, which was called ${line(changes.repository.name.from)}` : "";
  return {
    topic: repositoryTopic(payload),
    content: `${line(payload.sender.login)} ${verb} the repository ${repositoryLink(payload)}${from}.`,
  };
});

export const madePublic = formatter(z.object({ ...repository, ...sender }), (payload) => ({
  topic: repositoryTopic(payload),
  content: `${line(payload.sender.login)} made ${repositoryLink(payload)} public.`,
}));

const member = z.object({ action: z.string(), member: account, ...repository, ...sender });

export const memberChanged = formatter(member, (payload) => {
  const { action, member: person } = payload;
  const whom = link(person.login, person.html_url);
  const who = line(payload.sender.login);
  const where = repositoryLink(payload);
  const sentences: Record<string, string> = {
    added: `${who} added ${whom} to ${where}.`,
    removed: `${who} removed ${whom} from ${where}.`,
  };
  const content =
    (Object.hasOwn(sentences, action) ? sentences[action] : undefined) ??
    `${who} changed the rights of ${whom} in ${where}.`;
  return { topic: repositoryTopic(payload), content };
});

const teamShape = z.object({ name: z.string(), html_url: optionalText });

export const teamAdded = formatter(z.object({ team: teamShape, ...repository }), (payload) => ({
  topic: repositoryTopic(payload),
  content: `The team ${link(payload.team.name, payload.team.html_url)} now works on ${repositoryLink(payload)}.`,
}));

const team = z.object({
  action: z.string(),
  team: teamShape,
  changes: z.object({ name: z.object({ from: z.string() }).nullish() }).nullish(),
  repository: repository.repository.nullish(),
  ...sender,
});

export const teamChanged = formatter(team, (payload) => {
  const { action, team: its, changes, repository: where } = payload;
  const who = line(payload.sender.login);
  const shown = `the team ${link(its.name, its.html_url)}`;
  const repositoryPart = where ? link(where.full_name, where.html_url) : "a repository";
  const before = changes?.name ? `, which was called ${line(changes.name.from)}` : "";
  const sentences: Record<string, string> = {
    added_to_repository: `${who} added ${shown} to ${repositoryPart}.`,
    removed_from_repository: `${who} removed ${shown} from ${repositoryPart}.`,
  };
  const content =
    (Object.hasOwn(sentences, action) ? sentences[action] : undefined) ?? `${who} ${line(action)} ${shown}${before}.`;
  return { topic: `team ${its.name}`, content };
});

const membership = z.object({ action: z.string(), member: account, team: teamShape, ...sender });

export const membershipChanged = formatter(membership, ({ action, member: person, team: its, sender: by }) => ({
  topic: `team ${its.name}`,
  content: `${line(by.login)} ${action === "removed" ? "removed" : "added"} ${link(person.login, person.html_url)} ${action === "removed" ? "from" : "to"} the team ${link(its.name, its.html_url)}.`,
}));
