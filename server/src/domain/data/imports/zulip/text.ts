/** Texts of a Zulip export. They are in our Markdown; only what they refer to gets other ids. */
import type { SourceFile, SourceId, SourceReference, SourceText } from "../source.ts";
import { cleanText } from "../text/marks.ts";

export interface ZulipTextContext {
  isPerson: (id: SourceId) => boolean;
  /** Undefined if several people have this name, or nobody. */
  personByName: (name: string) => SourceId | undefined;
  isChannel: (id: SourceId) => boolean;
  channelByName: (name: string) => SourceId | undefined;
  /** The file at a path below /user_uploads/. */
  upload: (path: string, name: string) => SourceFile;
}

const references = new RegExp(
  [
    String.raw`@(?<silent>_?)\*\*(?<person>[^*|\n]+)(?:\|(?<personId>\d+))?\*\*`,
    String.raw`#\*\*(?<channel>[^*>\n]+)\*\*`,
    String.raw`#\*\*[^*\n]+>[^*\n]*@(?<messageId>\d+)\*\*`,
    String.raw`\[(?<fileName>[^\[\]\n]*)\]\(/user_uploads/(?<path>[^()\n]+)\)`,
    String.raw`\[(?<linkText>[^\[\]\n]*)\]\((?:https?://[^\s()]*/)?#narrow/(?<narrow>[^\s()]+)\)`,
  ].join("|"),
  "g",
);
const near = /\/(?:near|with)\/(\d+)/;
const channelInNarrow = /^((?:channel|stream)\/)(\d+)(?=-|\/|$)/;

export function toSourceText(given: string, context: ZulipTextContext): SourceText {
  const text = cleanText(given);
  const parts: (string | SourceReference)[] = [];
  let done = 0;
  for (const { 0: found, index, groups = {} } of text.matchAll(references)) {
    const made = toReference(found, groups, context);
    if (made === undefined) continue;
    if (index > done) parts.push(text.slice(done, index));
    parts.push(...made);
    done = index + found.length;
  }
  if (done < text.length) parts.push(text.slice(done));
  return parts;
}

/** Undefined if it stays as it is. */
function toReference(
  found: string,
  groups: Readonly<Record<string, string | undefined>>,
  context: ZulipTextContext,
): (string | SourceReference)[] | undefined {
  const { silent, person, personId, channel, messageId, fileName, path, linkText, narrow } = groups;
  if (person !== undefined) {
    const id = personId ?? context.personByName(person);
    if (id === undefined || !context.isPerson(id)) return undefined;
    return [{ kind: "person", id, ...(silent === "" ? { isLoud: true as const } : {}) }];
  }
  if (channel !== undefined) {
    const id = context.channelByName(channel);
    return id === undefined ? undefined : [{ kind: "channel", id }];
  }
  if (messageId !== undefined) return [{ kind: "message", id: messageId, original: found }];
  if (path !== undefined) return [{ kind: "file", file: context.upload(path, fileName ?? ""), text: fileName ?? "" }];
  const id = near.exec(narrow ?? "")?.[1];
  if (id !== undefined) return [{ kind: "message", id, text: linkText ?? "", original: found }];
  const [, before, number] = channelInNarrow.exec(narrow ?? "") ?? [];
  if (before === undefined || number === undefined || !context.isChannel(number)) return undefined;
  const rest = (narrow ?? "").slice(before.length + number.length);
  return [`[${linkText}](#narrow/${before}`, { kind: "channelNumber", id: number }, `${rest})`];
}
