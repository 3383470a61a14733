/** The parts that several GitLab events have in common, as far as we use them. */
import { z } from "zod";
import { optionalText } from "../formatter.ts";
import { line, link } from "../markdown.ts";

export const person = z.object({ name: optionalText, username: optionalText });
export const user = { user: person };
export const project = { project: z.object({ name: z.string(), web_url: optionalText }) };

interface InProject {
  project: { name: string; web_url: string };
}
interface Numbered {
  iid: number;
  title: string;
  url: string;
}
export const numbered = { iid: z.number(), title: z.string(), url: optionalText };

export const nameOf = ({ name, username }: z.output<typeof person>): string => line(name || username || "Somebody");

export const projectTopic = ({ project: { name } }: InProject): string => name;
export const branchTopic = ({ project: { name } }: InProject, branch: string): string => `${name} / ${branch}`;
export const mergeRequestTopic = ({ project: { name } }: InProject, { iid, title }: Numbered): string =>
  `${name} / MR #${iid} ${title}`;
export const issueTopic = ({ project: { name } }: InProject, { iid, title }: Numbered): string =>
  `${name} / issue #${iid} ${title}`;

export const mergeRequestLink = ({ iid, title, url }: Numbered): string => link(`MR !${iid} ${title}`, url);
export const issueLink = ({ iid, title, url }: Numbered): string => link(`issue #${iid} ${title}`, url);

export const shortSha = (sha: string): string => sha.slice(0, 8);
