import { cleanup, createEvent, fireEvent, render, screen } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import { useState } from "preact/hooks";
import { afterEach, expect, test, vi } from "vitest";
import { useCombobox } from "./combobox.ts";

afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

const fruit = ["apple", "apricot", "banana"];

type Props = Partial<Parameters<typeof useCombobox<string>>[0]>;

function Fruit({ onChoose = () => {}, ...props }: Props) {
  const [query, setQuery] = useState("");
  const options = fruit.filter((name) => name.startsWith(query));
  const combobox = useCombobox({ options, query, onChoose, ...props });
  return (
    <>
      <input
        {...combobox.field}
        aria-label="Fruit"
        value={query}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={combobox.handleKey}
      />
      <div {...combobox.list} aria-label="Fruit">
        {combobox.options.map((name, index) => (
          <div key={index} {...combobox.option(index)}>
            {name}
          </div>
        ))}
      </div>
    </>
  );
}

function setUp(props: Props = {}) {
  render(<Fruit {...props} />);
  const field = screen.getByRole<HTMLInputElement>("combobox", { name: "Fruit" });
  field.focus();
  return field;
}

const active = () => screen.getByRole("option", { selected: true });

/** Returns false if the key was handled. */
function press(field: HTMLElement, key: string, more: KeyboardEventInit = {}): boolean {
  const event = createEvent.keyDown(field, { key, ...more });
  fireEvent(field, event);
  return !event.defaultPrevented;
}

test("the field refers to its list and the active option while there are options", async () => {
  const field = setUp();

  expect(field.getAttribute("aria-expanded")).toBe("true");
  expect(field.getAttribute("aria-controls")).toBe(screen.getByRole("listbox").id);
  expect(field.getAttribute("aria-activedescendant")).toBe(active().id);
  await userEvent.type(field, "x");

  expect(field.getAttribute("aria-expanded")).toBe("false");
  expect(field.hasAttribute("aria-controls")).toBe(false);
  expect(field.hasAttribute("aria-activedescendant")).toBe(false);
});

test("up and down wrap around, and a new query makes the first option active", async () => {
  const field = setUp();

  await userEvent.keyboard("{ArrowUp}");
  expect(active().textContent).toBe("banana");
  await userEvent.keyboard("{ArrowDown}{ArrowDown}");
  expect(active().textContent).toBe("apricot");
  await userEvent.type(field, "a");
  expect(active().textContent).toBe("apple");
  // Back to an earlier query: the option that was active then is not remembered.
  await userEvent.type(field, "{ArrowDown}p{Backspace}");

  expect(active().textContent).toBe("apple");
});

test("when the list gets shorter, the last option becomes active", async () => {
  const { rerender } = render(<Fruit />);
  screen.getByRole("combobox").focus();
  await userEvent.keyboard("{ArrowUp}");

  rerender(<Fruit options={["apple", "apricot"]} />);

  expect(active().textContent).toBe("apricot");
});

test("Enter chooses, and Tab if allowed; Shift+Tab leaves the field", () => {
  const onChoose = vi.fn<(name: string) => void>();
  const field = setUp({ onChoose, choosesBy: ["Enter", "Tab"] });

  expect(press(field, "Tab", { shiftKey: true })).toBe(true);
  expect(press(field, "Enter")).toBe(false);
  press(field, "ArrowDown");
  expect(press(field, "Tab")).toBe(false);

  expect(onChoose.mock.calls).toEqual([["apple"], ["apricot"]]);
  expect(active().textContent).toBe("apple");
});

test("other keys keep their effect", () => {
  const onChoose = vi.fn<(name: string) => void>();
  const field = setUp({ onChoose });

  for (const key of ["Home", "End", "ArrowLeft", "ArrowRight", "Tab", "Escape"])
    expect(press(field, key), key).toBe(true);
  // While an input method composes a word, or with a modifier.
  for (const more of [{ isComposing: true }, { ctrlKey: true }, { altKey: true }, { metaKey: true }]) {
    for (const key of ["ArrowDown", "Enter"]) expect(press(field, key, more), key).toBe(true);
  }

  expect(onChoose).not.toHaveBeenCalled();
  expect(active().textContent).toBe("apple");
});

test("Escape closes only the list", () => {
  const onDismiss = vi.fn<() => void>();
  const onOutside = vi.fn<() => void>();
  document.addEventListener("keydown", onOutside, { once: true });
  const field = setUp({ onDismiss });

  expect(press(field, "Escape")).toBe(false);

  expect(onDismiss).toHaveBeenCalledOnce();
  expect(onOutside).not.toHaveBeenCalled();
  document.removeEventListener("keydown", onOutside);
});

test("a click chooses and leaves focus in the field", () => {
  const onChoose = vi.fn<(name: string) => void>();
  setUp({ onChoose });
  const option = screen.getByRole("option", { name: "banana" });

  const down = createEvent.pointerDown(option);
  fireEvent(option, down);
  fireEvent.click(option);

  expect(down.defaultPrevented).toBe(true);
  expect(onChoose.mock.calls).toEqual([["banana"]]);
});

test("arrow keys scroll the active option into view, the pointer does not", async () => {
  setUp();
  const scroll = vi.spyOn(Element.prototype, "scrollIntoView").mockImplementation(() => {});

  await userEvent.keyboard("{ArrowDown}");
  expect(scroll.mock.contexts).toEqual([active()]);
  fireEvent.pointerMove(screen.getByRole("option", { name: "banana" }));

  expect(active().textContent).toBe("banana");
  expect(scroll).toHaveBeenCalledOnce();
});

test("a grid has its own rules for moving and scrolling", async () => {
  const reveal = vi.fn<(index: number) => void>();
  const field = setUp({ popup: "grid", move: (key, at) => (key === "ArrowRight" ? at + 1 : undefined), reveal });

  await userEvent.keyboard("{ArrowRight}{ArrowDown}");

  expect(field.getAttribute("aria-haspopup")).toBe("grid");
  expect(screen.getByRole("grid")).toBeTruthy();
  expect(screen.getByRole("gridcell", { selected: true }).textContent).toBe("apricot");
  expect(reveal).toHaveBeenLastCalledWith(1);
});
