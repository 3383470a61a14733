/** Slack's older format for rich messages, which many programs still send. */
import { z } from "zod";
import { listed, numberText, optionalText } from "../formatter.ts";
import { blocks, line, link, list } from "../markdown.ts";
import { fromBlock, slackBlocks } from "./blocks.ts";
import { fromMrkdwn } from "./mrkdwn.ts";

const attachment = z.object({
  pretext: optionalText,
  author_name: optionalText,
  author_link: optionalText,
  title: optionalText,
  title_link: optionalText,
  text: optionalText,
  fallback: optionalText,
  fields: listed(
    z.object({
      title: optionalText,
      value: z
        .union([z.string(), z.number(), z.boolean(), z.null()])
        .optional()
        .transform((value) => String(value ?? "")),
    }),
  ).nullish(),
  image_url: optionalText,
  footer: optionalText,
  ts: numberText.nullish(),
  blocks: slackBlocks.nullish(),
});

export const slackAttachments = listed(attachment, 50);

export function fromAttachment(its: z.output<typeof attachment>): string {
  const fields = (its.fields?.items ?? []).map(({ title, value }) =>
    title === "" ? fromMrkdwn(value) : `**${line(title)}**: ${fromMrkdwn(value)}`,
  );
  const content = blocks(
    fromMrkdwn(its.pretext),
    its.author_name === "" ? "" : link(its.author_name, its.author_link),
    its.title === "" ? "" : `## ${link(its.title, its.title_link)}`,
    fromMrkdwn(its.text),
    ...(its.blocks?.items ?? []).map(fromBlock),
    list(fields, its.fields?.total),
    its.image_url === "" ? "" : link("image", its.image_url),
    footerOf(its),
  );
  return content === "" ? line(its.fallback) : content;
}

function footerOf({ footer, ts }: z.output<typeof attachment>): string {
  const seconds = Number(ts ?? Number.NaN);
  const time = new Date(seconds * 1000);
  const when = Number.isNaN(time.getTime()) ? "" : `<time:${time.toISOString()}>`;
  return [fromMrkdwn(footer), when].filter((part) => part !== "").join(" · ");
}
