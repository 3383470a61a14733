/** Deliveries of programs that were made for Slack, and arbitrary JSON. */
import type { Fixture } from "./fixture.ts";

const headers = { "content-type": "application/json" };

const slack = (name: string, payload: object, content: string, topic = "(no topic)"): Fixture => ({
  name: `slack ${name}`,
  headers,
  payload,
  reports: content === "" ? [] : [{ topic, content }],
});

export const slackFixtures: Fixture[] = [
  slack(
    "text",
    { text: "The basin is *full*, _really_ ~not~ `so *full*`." },
    "The basin is **full**, *really* ~~not~~ `so *full*`.",
  ),
  slack(
    "text with a channel and an emoji",
    { channel: "#alarm", username: "pump", icon_emoji: ":wave:", text: "Hi" },
    ":wave: Hi",
    "alarm",
  ),
  slack(
    "links and references",
    {
      text: "<https://example.com/a_b_c|The *plan*> and <https://example.com/x?a=1&amp;b=2>, <@U024BE7LH|mira> in <#C024BE7LR|general>, <!here> <!subteam^S01|@divers> <!date^1392734382^{date}|Feb 18> <mailto:otto@example.com|Otto> 1 &lt; 2",
    },
    "[The *plan*](https://example.com/a_b_c) and [https://example.com/x?a=1&b=2](https://example.com/x?a=1&b=2), @mira in #general, @here @divers Feb 18 Otto 1 < 2",
  ),
  slack(
    "code over several lines",
    { text: "Look:```let a = 1;\nlet b = <https://example.com|example.com>;```" },
    "Look:\n```\nlet a = 1;\nlet b = example.com;\n```",
  ),
  slack("nothing", { text: "  " }, ""),
  slack(
    "blocks",
    {
      text: "Shown in notifications",
      blocks: [
        { type: "header", text: { type: "plain_text", text: "Basin 3", emoji: true } },
        {
          type: "section",
          text: { type: "mrkdwn", text: "*Level:* 3.2 m" },
          accessory: { type: "image", image_url: "https://example.com/basin.png", alt_text: "the basin" },
        },
        {
          type: "section",
          fields: [
            { type: "mrkdwn", text: "*Gate*\nopen" },
            { type: "plain_text", text: "*Pump*" },
          ],
        },
        { type: "divider" },
        {
          type: "context",
          elements: [
            { type: "image", image_url: "https://example.com/i.png", alt_text: "icon" },
            { type: "mrkdwn", text: "by _Otto_" },
          ],
        },
        {
          type: "image",
          image_url: "https://example.com/c.png",
          alt_text: "chart",
          title: { type: "plain_text", text: "Chart" },
        },
        {
          type: "actions",
          elements: [
            {
              type: "button",
              action_id: "a",
              text: { type: "plain_text", text: "Open" },
              url: "https://example.com/open",
            },
            { type: "button", action_id: "b", text: { type: "plain_text", text: "Nothing" }, value: "b" },
          ],
        },
        { type: "hologram", shape: "round" },
      ],
    },
    "## Basin 3\n\n**Level:** 3.2 m\n\n[the basin](https://example.com/basin.png)\n\n* **Gate**\nopen\n* *Pump*\n\n----\n\n" +
      "[icon](https://example.com/i.png) by *Otto*\n\n[Chart](https://example.com/c.png)\n\n[Open](https://example.com/open)",
  ),
  slack(
    "rich text",
    {
      blocks: [
        {
          type: "rich_text",
          elements: [
            {
              type: "rich_text_section",
              elements: [
                { type: "text", text: "Hello " },
                { type: "text", text: "there ", style: { bold: true, italic: true } },
                { type: "user", user_id: "U01" },
                { type: "text", text: " " },
                { type: "emoji", name: "wave" },
                { type: "link", url: "https://example.com", text: "site" },
                { type: "broadcast", range: "channel" },
              ],
            },
            {
              type: "rich_text_list",
              style: "ordered",
              indent: 0,
              elements: [
                { type: "rich_text_section", elements: [{ type: "text", text: "one", style: { code: true } }] },
              ],
            },
            { type: "rich_text_quote", elements: [{ type: "text", text: "said" }] },
            { type: "rich_text_preformatted", elements: [{ type: "text", text: "let a = 1;" }], border: 0 },
          ],
        },
      ],
    },
    "Hello ***there*** @U01 :wave:[site](https://example.com/)@channel\n\n1. `one`\n\n``` quote\nsaid\n```\n\n``` text\nlet a = 1;\n```",
  ),
  slack(
    "attachments",
    {
      text: "An alarm:",
      attachments: [
        {
          fallback: "Basin 3 is full",
          color: "danger",
          pretext: "From the *harbor*",
          author_name: "Otto",
          author_link: "https://example.com/otto",
          author_icon: "https://example.com/otto.png",
          title: "Basin 3",
          title_link: "https://example.com/3",
          text: "It is _full_",
          fields: [
            { title: "Level", value: "3.2 m", short: true },
            { title: "Gate", value: 1, short: true },
          ],
          image_url: "https://example.com/basin.png",
          thumb_url: "https://example.com/t.png",
          footer: "Harbor",
          footer_icon: "https://example.com/f.png",
          ts: 1_748_858_400,
        },
        { fallback: "Only this", color: "#00ff00" },
      ],
    },
    "An alarm:\n\nFrom the **harbor**\n\n[Otto](https://example.com/otto)\n\n## [Basin 3](https://example.com/3)\n\nIt is *full*\n\n" +
      "* **Level**: 3.2 m\n* **Gate**: 1\n\n[image](https://example.com/basin.png)\n\nHarbor · <time:2025-06-02T10:00:00.000Z>\n\nOnly this",
  ),
];

export const jsonFixtures: Fixture[] = [
  {
    name: "json",
    headers,
    payload: { basin: 3, level: "high", notes: ["a", { b: null }] },
    reports: [
      {
        topic: "JSON",
        content: `\`\`\` json\n${JSON.stringify({ basin: 3, level: "high", notes: ["a", { b: null }] }, undefined, 2)}\n\`\`\``,
      },
    ],
  },
];
