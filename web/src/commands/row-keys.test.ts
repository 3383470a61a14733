import { expect, test } from "vitest";
import { rowControls } from "./row-keys.ts";

test("j and k move from row to row and stop at the ends, also from a row's buttons", () => {
  document.body.innerHTML = `<div id="list">${["one", "two", "three"]
    .map((name) => `<li><a data-row href="#${name}">${name}</a><button>${name}</button></li>`)
    .join("")}</div>`;
  const list = document.querySelector<HTMLElement>("#list");
  if (!list) throw new Error("it was made above");
  const rows = rowControls(list);
  const focused = () => document.activeElement?.textContent;

  rows.move(1);
  expect(focused()).toBe("one");
  rows.move(1);
  rows.move(1);
  rows.move(1);
  expect(focused()).toBe("three");
  list.querySelectorAll("button")[1]?.focus();
  rows.move(-1);
  expect(focused()).toBe("one");
  rows.moveToEnd();
  expect(focused()).toBe("three");
});
