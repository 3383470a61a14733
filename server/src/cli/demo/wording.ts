/** Converts a line of a script to Markdown: expands names, quotes, files and times. */
import { topicUrl, directUrl } from "../../markdown/narrow-url.ts";
import { member, type Cast } from "./accounts.ts";
import type { Entry } from "./entry.ts";

export interface Wording {
  cast: Cast;
  /** The URL of the organization. */
  site: string;
  /** Links to files by name. */
  files: ReadonlyMap<string, string>;
  now: Date;
}

const day = 24 * 60 * 60 * 1000;

/** `before` is the previous message, already expanded. */
export function writeOut(
  wording: Wording,
  text: string,
  before: { entry: Entry; content: string } | undefined,
): string {
  const { cast, files, now } = wording;
  return text
    .replaceAll(/(?<![\w*])@(_?)(\w+)/g, (whole, silent: string, key: string) => {
      const user = cast.get(key);
      return user ? `@${silent}**${user.full_name}**` : whole;
    })
    .replaceAll(/\{file ([\w.-]+)\}/g, (_, name: string) => files.get(name) ?? name)
    .replaceAll(
      /\{time (\d+)\}/g,
      (_, days: string) => `<time:${new Date(now.getTime() + Number(days) * day).toISOString()}>`,
    )
    .replaceAll("{quote}", () => (before ? quote(wording, before.entry, before.content) : ""));
}

function quote({ cast, site }: Wording, { line, target, id }: Entry, content: string): string {
  const author = member(cast, line.by);
  const address =
    "channel" in target
      ? topicUrl({ stream_id: target.channel.id, name: target.channel.name }, target.topic)
      : directUrl(target.people);
  const fence = content.includes("```") ? "````" : "```";
  const said = `@_**${author.full_name}|${author.id}** [said](${site}${address}/near/${id}):`;
  return `${said}\n${fence}quote\n${content}\n${fence}`;
}
