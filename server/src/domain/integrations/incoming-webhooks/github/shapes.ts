/** The parts that several GitHub events have in common, as far as we use them. */
import { z } from "zod";
import { optionalText } from "../formatter.ts";
import { link } from "../markdown.ts";

export const account = z.object({ login: z.string(), html_url: optionalText });
/** GitHub's name for deleted accounts. */
const ghost = { login: "ghost", html_url: "" };

/** Null for automatic changes and for deleted accounts. */
export const accountOrGhost = account.nullish().transform((its) => its ?? ghost);
export const sender = { sender: accountOrGhost };

export const repository = {
  repository: z.object({ name: z.string(), full_name: z.string(), html_url: z.string() }),
};
interface InRepository {
  repository: { name: string; full_name: string; html_url: string };
}

export const shortSha = (sha: string): string => sha.slice(0, 7);

export const repositoryLink = ({ repository: { full_name, html_url } }: InRepository): string =>
  link(full_name, html_url);

/** Link to a commit whose URL is not in the payload. */
export const commitLink = ({ repository: { html_url } }: InRepository, sha: string): string =>
  link(shortSha(sha), `${html_url}/commit/${sha}`);

export const repositoryTopic = ({ repository: { name } }: InRepository): string => name;
export const branchTopic = ({ repository: { name } }: InRepository, branch: string): string => `${name} / ${branch}`;

interface Numbered {
  number: number;
  title: string;
  html_url: string;
}
export const numbered = { number: z.number(), title: z.string(), html_url: z.string() };

export const pullRequestTopic = ({ repository: { name } }: InRepository, { number, title }: Numbered): string =>
  `${name} / PR #${number} ${title}`;
export const issueTopic = ({ repository: { name } }: InRepository, { number, title }: Numbered): string =>
  `${name} / issue #${number} ${title}`;

export const pullRequestLink = ({ number, title, html_url }: Numbered): string =>
  link(`PR #${number} ${title}`, html_url);
export const issueLink = ({ number, title, html_url }: Numbered): string => link(`issue #${number} ${title}`, html_url);
