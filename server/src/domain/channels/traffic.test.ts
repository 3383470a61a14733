import { expect, test } from "vitest";
import { weeklyTraffic } from "./traffic.ts";

test.for([
  { messages: 900, days: 6.9, perWeek: null },
  { messages: 0, days: 7, perWeek: 0 },
  { messages: 1, days: 28, perWeek: 1 },
  { messages: 7, days: 28, perWeek: 2 },
  { messages: 30, days: 14.5, perWeek: 15 },
  { messages: 444, days: 60, perWeek: 110 },
  { messages: 49_880, days: 28, perWeek: 12_000 },
])("$messages messages in a channel $days days old are $perWeek per week", ({ messages, days, perWeek }) => {
  expect(weeklyTraffic(messages, days)).toBe(perWeek);
});
