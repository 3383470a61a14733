// @vitest-environment node
import { expect, test } from "vitest";
import { nextOption, nextTask, widgetOf } from "./widget-state.ts";

const owner = 5;
const said = (sender_id: number, content: unknown) => ({ sender_id, content: JSON.stringify(content) });
const poll = said(owner, { widget_type: "poll", extra_data: { question: "Lunch?", options: ["rice", "soup"] } });
const list = said(owner, {
  widget_type: "todo",
  extra_data: { task_list_title: "", tasks: [{ task: "ship", desc: "soon" }] },
});

test("votes are counted once for each person and can be taken back", () => {
  const vote = (user: number, key: string, value: number) => said(user, { type: "vote", key, vote: value });
  const state = widgetOf(owner, [
    poll,
    vote(1, "canned,0", 1),
    vote(1, "canned,0", 1),
    vote(2, "canned,0", 1),
    vote(2, "canned,0", -1),
    vote(3, "nowhere", 1),
    said(9, { type: "new_option", idx: 1, option: "pizza" }),
    said(8, { type: "new_option", idx: 1, option: "rice" }),
    vote(2, "9,1", 1),
  ]);

  expect(state).toEqual({
    kind: "poll",
    question: "Lunch?",
    options: [
      { key: "canned,0", text: "rice", voters: [1] },
      { key: "canned,1", text: "soup", voters: [] },
      { key: "9,1", text: "pizza", voters: [2] },
    ],
  });
});

test("only who asked changes the question", () => {
  const ask = (user: number, question: string) => said(user, { type: "question", question });
  expect(widgetOf(owner, [poll, ask(owner, "Dinner?"), ask(2, "Mine?")])).toMatchObject({ question: "Dinner?" });
});

test("tasks are added, struck and opened again", () => {
  const strike = (key: string) => said(2, { type: "strike", key });
  const added = said(2, { type: "new_task", key: 3, task: "test", desc: "", completed: false });
  const state = widgetOf(owner, [list, added, strike("0,canned"), strike("3,2"), strike("3,2")]);

  expect(state).toEqual({
    kind: "todo",
    title: "",
    tasks: [
      { key: "0,canned", text: "ship", description: "soon", isDone: true },
      { key: "3,2", text: "test", description: "", isDone: false },
    ],
  });
});

test("what is no widget is none, and nonsense is left out", () => {
  expect(widgetOf(owner, [])).toBeUndefined();
  expect(widgetOf(owner, [said(owner, { widget_type: "other" })])).toBeUndefined();
  expect(widgetOf(owner, [poll, { sender_id: 1, content: "{" }, said(1, null)])).toMatchObject({ question: "Lunch?" });
});

test("a new option or task has a number no other has", () => {
  const option = { text: "", voters: [] };
  expect(
    nextOption({
      kind: "poll",
      question: "",
      options: [
        { ...option, key: "canned,3" },
        { ...option, key: "7,7" },
      ],
    }),
  ).toBe(8);
  expect(nextTask({ kind: "todo", title: "", tasks: [] })).toBe(1);
});
