/** Parts of a text that rich text and mrkdwn share, as marks in our Markdown. */
import { ourEmojiName, withoutTone } from "../text/emoji.ts";
import { isLinkable, type Marks } from "../text/marks.ts";
import { link, linkText } from "../text/styles.ts";
import { messageIdOfLink } from "./angle.ts";
import type { SlackLookup } from "./lookup.ts";

export class InlineWriter {
  readonly marks: Marks;
  readonly #lookup: SlackLookup;

  constructor(marks: Marks, lookup: SlackLookup) {
    this.marks = marks;
    this.#lookup = lookup;
  }

  person(id: string, label: string): string {
    const personId = this.#lookup.personId(id);
    return personId === undefined ? `@${label || id}` : this.marks.add({ kind: "person", id: personId });
  }

  channel(id: string, label: string): string {
    return this.#lookup.channelName(id) === undefined ? `#${label || id}` : this.marks.add({ kind: "channel", id });
  }

  broadcast(range: string): string {
    return `@${range}`;
  }

  group(id: string, label: string): string {
    return label === "" ? `@${id}` : label.startsWith("@") ? label : `@${label}`;
  }

  emoji(name: string): string {
    return this.marks.add(`:${ourEmojiName(name) ?? withoutTone(name)}:`);
  }

  date(seconds: number, fallback: string): string {
    const time = new Date(seconds * 1000);
    if (Number.isNaN(time.getTime())) return fallback;
    return this.marks.add(`<time:${time.toISOString().replace(".000Z", "Z")}>`);
  }

  link(url: string, text: string): string {
    const id = messageIdOfLink(url);
    if (id !== undefined) {
      const original = text === "" || text === url ? url : link(text, url);
      return this.marks.add({
        kind: "message",
        id,
        ...(text === "" || text === url ? {} : { text: linkText(text) }),
        original,
      });
    }
    const address = /^(?:mailto|tel):(.*)$/i.exec(url)?.[1];
    // Our Markdown makes links of addresses by itself.
    if (address !== undefined && (text === "" || text === address)) return address;
    if (text === "" || text === url) return isLinkable(url) ? this.marks.add({ url }) : url;
    return this.marks.add(link(text, url));
  }
}
