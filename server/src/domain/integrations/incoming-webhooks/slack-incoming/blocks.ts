/** Slack's message blocks. Blocks without text and unknown kinds are omitted. */
import { z } from "zod";
import { listed, optionalText, readShape } from "../formatter.ts";
import { line, link, list } from "../markdown.ts";
import { fromMrkdwn } from "./mrkdwn.ts";
import { fromRichText, richText } from "./rich-text.ts";

const textObject = z.object({ type: z.string(), text: z.string() });
type TextObject = z.output<typeof textObject>;

const shown = ({ type, text }: TextObject): string => (type === "mrkdwn" ? fromMrkdwn(text) : text);

const image = z.object({ image_url: optionalText, alt_text: optionalText, title: textObject.nullish() });
const showImage = ({ image_url, alt_text, title }: z.output<typeof image>): string =>
  link(title?.text || alt_text || "image", image_url);

const section = z.object({
  text: textObject.nullish(),
  fields: listed(textObject).nullish(),
  accessory: z.object({ type: z.string() }).loose().nullish(),
});
const contextElement = z.union([textObject, image.extend({ type: z.literal("image") })]);
const button = z.object({ type: z.string(), text: textObject.nullish(), url: optionalText });

const readers: Record<string, (block: unknown) => string> = {
  section(block) {
    const { text, fields, accessory } = readShape(section, block, "section");
    const parts = [text ? shown(text) : "", list((fields?.items ?? []).map(shown), fields?.total)];
    if (accessory?.type === "image") parts.push(showImage(readShape(image, accessory, "image")));
    return parts.filter((part) => part !== "").join("\n\n");
  },
  header: (block) => `## ${line(readShape(z.object({ text: textObject }), block, "header").text.text)}`,
  context: (block) =>
    readShape(z.object({ elements: listed(contextElement) }), block, "context")
      .elements.items.map((element) => ("image_url" in element ? showImage(element) : shown(element)))
      .join(" "),
  divider: () => "----",
  image: (block) => showImage(readShape(image, block, "image")),
  markdown: (block) => readShape(z.object({ text: z.string() }), block, "markdown").text,
  actions: (block) =>
    readShape(z.object({ elements: listed(button) }), block, "actions")
      .elements.items.filter(({ url }) => url !== "")
      .map(({ text, url }) => link(text?.text ?? "", url))
      .join(" · "),
  rich_text: (block) => fromRichText(readShape(richText, block, "rich_text")),
};

export const slackBlocks = listed(z.object({ type: z.string() }).loose(), 50);

export const fromBlock = (block: { type: string }): string =>
  Object.hasOwn(readers, block.type) ? (readers[block.type]?.(block) ?? "").trim() : "";
