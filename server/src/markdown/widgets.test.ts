import { expect, test } from "vitest";
import { widgetSubmessage } from "./widgets.ts";

test.each([
  ["/poll", "", []],
  ["/poll  Lunch?  ", "Lunch?", []],
  ["/poll Lunch?\n- soup\n* bread\n\n  rice", "Lunch?", ["soup", "bread", "rice"]],
  ["/poll\nyes\nno", "", ["yes", "no"]],
  ["/poll Range\n-1\n--2", "Range", ["1", "-2"]],
])("%j is a poll", (content, question, options) => {
  expect(widgetSubmessage(content)).toEqual({ widget_type: "poll", extra_data: { question, options } });
});

test("a to-do list has tasks, each with an optional description", () => {
  expect(widgetSubmessage("/todo Trip\n- tickets: two: there and back\nbags\n12:30 leave")).toEqual({
    widget_type: "todo",
    extra_data: {
      task_list_title: "Trip",
      tasks: [
        { task: "tickets", desc: "two: there and back" },
        { task: "bags", desc: "" },
        { task: "12:30 leave", desc: "" },
      ],
    },
  });
});

test.each(["poll", "/polls x", " /poll x", "/Poll x", "/todos", "see /poll", ""])(
  "%j is an ordinary message",
  (content) => {
    expect(widgetSubmessage(content)).toBeUndefined();
  },
);
