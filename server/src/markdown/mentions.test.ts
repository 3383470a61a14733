import { expect, test } from "vitest";
import { findReferences } from "./references.ts";
import { renderMarkdown } from "./render.ts";

const context = {
  users: [
    { user_id: 3, full_name: "Ophelia" },
    { user_id: 4, full_name: "Yorick", is_active: false },
  ],
  groups: [{ id: 8, name: "players" }],
  channels: [{ stream_id: 5, name: "great hall", topics: new Map([["the play", 99]]) }],
};

const user = (id: string, text: string, more = ""): string =>
  `<span class="user-mention${more}" data-user-id="${id}">${text}</span>`;

test.for([
  ["@**Ophelia**", user("3", "@Ophelia")],
  ["@**ophelia|3**", "@<strong>ophelia|3</strong>"],
  ["@**|3**", user("3", "@Ophelia")],
  ["@_**Ophelia**", user("3", "Ophelia", " silent")],
  ["@**Yorick**", user("4", "Yorick", " silent")],
  ["@**all**", user("*", "@all", " channel-wildcard-mention")],
  ["@**topic**", '<span class="topic-mention">@topic</span>'],
  ["@*players*", '<span class="user-group-mention" data-user-group-id="8">@players</span>'],
  ["@**Nobody else**", "@<strong>Nobody else</strong>"],
  ["me@**Ophelia**", "me@<strong>Ophelia</strong>"],
  ["#**great hall**", '<a class="stream" data-stream-id="5" href="/#narrow/channel/5-great-hall">#great hall</a>'],
  [
    "#**great hall>the play**",
    '<a class="stream-topic" data-stream-id="5" href="/#narrow/channel/5-great-hall/topic/the.20play/with/99">#great hall &gt; the play</a>',
  ],
  [
    "#**great hall>@12**",
    '<a class="message-link" href="/#narrow/channel/5-great-hall/topic//near/12">#great hall &gt; <em>general chat</em> @ 💬</a>',
  ],
  ["#**crypt**", "#<strong>crypt</strong>"],
])("%s", ([text = "", html]) => {
  expect(renderMarkdown(text, context).html).toBe(`<p>${html}</p>`);
});

test("only mentions that are not silent count", () => {
  expect(renderMarkdown("@**Ophelia** @**Yorick** @_*players* @_**all**", context)).toMatchObject({
    mentionedUserIds: [3],
    mentionedGroupIds: [],
    mentionsChannel: false,
  });
  expect(renderMarkdown("@*players* @**everyone** @**topic**", context)).toMatchObject({
    mentionedGroupIds: [8],
    mentionsChannel: true,
    mentionsTopic: true,
  });
});

test("a quote mentions nobody", () => {
  for (const text of ["> @**Ophelia** @*players*", "```quote\n@**Ophelia** @*players*\n```"]) {
    const { html, mentionedUserIds, mentionedGroupIds } = renderMarkdown(text, context);

    expect([mentionedUserIds, mentionedGroupIds]).toEqual([[], []]);
    expect(html).toContain(user("3", "Ophelia", " silent"));
  }
});

test("references that are not in the raw text do not resolve", () => {
  expect(renderMarkdown(">@**Ophelia**", context).html).toContain("@<strong>Ophelia</strong>");
});

test("the references of a raw text are found before rendering", () => {
  expect(findReferences("@**Ophelia** @_**A|7** @**|8** @*players* #**great hall>the play@5** x@**no**")).toEqual({
    users: [
      { name: "Ophelia", id: undefined },
      { name: "A", id: 7 },
      { name: undefined, id: 8 },
    ],
    groupNames: ["players"],
    channelNames: ["great hall>the play@5", "great hall"],
    topics: [{ channelName: "great hall", topic: "the play@5" }],
  });
});
