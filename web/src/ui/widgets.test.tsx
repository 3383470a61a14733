import { cleanup, render, screen } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import { useState } from "preact/hooks";
import { afterEach, expect, test, vi } from "vitest";
import { Button, IconButton } from "./button.tsx";
import { CheckField } from "./choices.tsx";
import { type Chip, ChipsField } from "./chips.tsx";
import { Dialog } from "./dialog.tsx";
import { PasswordField, TextField } from "./field.tsx";
import { LiveRegion } from "./live-region.tsx";
import { announce } from "../store/announcements.ts";
import { MenuButton } from "./menu.tsx";
import { Rows } from "./rows.tsx";
import { Tabs } from "./tabs.tsx";
import { Toasts } from "./toast.tsx";
import { toast } from "../store/toasts.ts";

afterEach(cleanup);

test("a busy button keeps focus and ignores a second click", async () => {
  const press = vi.fn<() => void>();
  render(
    <Button busy onClick={press}>
      Save
    </Button>,
  );

  await userEvent.click(screen.getByRole("button", { name: "Save" }));

  expect(press).not.toHaveBeenCalled();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Save" }));
});

test("an icon button has a name and reports whether it is pressed", () => {
  render(<IconButton icon="star" label="Star" pressed />);

  expect(screen.getByRole("button", { name: "Star", pressed: true })).toBeTruthy();
});

test("a menu opens with an arrow key, moves by arrows and letters, and activates with Enter", async () => {
  const remove = vi.fn<() => void>();
  const entries = [
    { label: "Copy link", onSelect: () => {} },
    { label: "Move", disabled: true, onSelect: () => {} },
    { label: "Delete", onSelect: remove },
  ];
  render(<MenuButton icon="ellipsis" label="More" entries={entries} />);
  const button = screen.getByRole("button", { name: "More" });

  button.focus();
  await userEvent.keyboard("{ArrowDown}");
  expect(document.activeElement).toBe(screen.getByRole("menuitem", { name: "Copy link" }));
  await userEvent.keyboard("{ArrowDown}");
  expect(document.activeElement).toBe(screen.getByRole("menuitem", { name: "Delete" }));
  await userEvent.keyboard("cd{Enter}");

  expect(remove).toHaveBeenCalledOnce();
  expect(screen.queryByRole("menu")).toBeNull();
  expect(document.activeElement).toBe(button);
});

test("a menu shows which of several states is selected", async () => {
  render(
    <MenuButton
      icon="bell"
      label="Topic"
      entries={[
        { label: "Follow", checked: false, isChoice: true, onSelect: () => {} },
        { label: "Mute", checked: true, isChoice: true, onSelect: () => {} },
      ]}
    />,
  );

  await userEvent.click(screen.getByRole("button", { name: "Topic" }));

  expect(document.activeElement).toBe(screen.getByRole("menuitemradio", { name: "Mute", checked: true }));
});

test("a dialog is named by its title, submits with Enter and restores focus", async () => {
  const submit = vi.fn<() => void>();
  function Page() {
    const [isOpen, setOpen] = useState(false);
    return (
      <>
        <Button onClick={() => setOpen(true)}>Open</Button>
        {isOpen && (
          <Dialog title="Create a channel" onClose={() => setOpen(false)} onSubmit={submit}>
            <TextField label="Name" />
          </Dialog>
        )}
      </>
    );
  }
  render(<Page />);

  await userEvent.click(screen.getByRole("button", { name: "Open" }));
  expect(screen.getByRole("dialog", { name: "Create a channel" })).toBeTruthy();
  await userEvent.type(screen.getByRole("textbox", { name: "Name" }), "design{Enter}");
  expect(submit).toHaveBeenCalledOnce();
  await userEvent.click(screen.getByRole("button", { name: "Close" }));

  expect(screen.queryByRole("dialog")).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Open" }));
});

test("arrow keys select tabs and wrap around", async () => {
  const select = vi.fn<(id: string) => void>();
  const tabs = ["Unread", "Recent", "Followed"].map((label) => ({ id: label.toLowerCase(), label }));
  render(<Tabs id="inbox" label="Inbox" tabs={tabs} selected="unread" onSelect={select} />);

  screen.getByRole("tab", { name: "Unread", selected: true }).focus();
  await userEvent.keyboard("{ArrowRight}{ArrowLeft}");

  expect(select.mock.calls).toEqual([["recent"], ["followed"]]);
});

test("a field is connected to its hint and its error", () => {
  render(<TextField label="E-mail" hint="Your work address." error="This is none." />);

  const field = screen.getByRole("textbox", { name: "E-mail" });
  const described = (field.getAttribute("aria-describedby") ?? "")
    .split(" ")
    .map((id) => document.getElementById(id)?.textContent);
  expect(described).toEqual(["Your work address.", "This is none."]);
  expect(field.getAttribute("aria-invalid")).toBe("true");
});

test("a password can be revealed", async () => {
  render(<PasswordField label="Password" value="secret" />);
  const field = screen.getByLabelText("Password");

  await userEvent.click(screen.getByRole("button", { name: "Show password" }));

  expect(field.getAttribute("type")).toBe("text");
  expect(screen.getByRole("button", { name: "Hide password" })).toBeTruthy();
});

test("a check box shows the stored value, not the click", async () => {
  const change = vi.fn<(checked: boolean) => void>();
  render(<CheckField label="Notify me" checked={false} onChange={change} />);

  await userEvent.click(screen.getByRole("checkbox", { name: "Notify me" }));

  expect(change).toHaveBeenCalledWith(true);
  expect(screen.getByRole<HTMLInputElement>("checkbox").checked).toBe(false);
});

function People({ read }: { read?: (text: string) => Chip[] }) {
  const [chips, setChips] = useState<Chip[]>([]);
  const all = ["Ada", "Bo", "Cy"].map((label) => ({ key: label, label }));
  return (
    <ChipsField
      label="People"
      chips={chips}
      onChange={setChips}
      {...(read
        ? { read }
        : { suggest: (query: string) => all.filter(({ label }) => label.toLowerCase().startsWith(query)) })}
    />
  );
}

test("people are chosen by typing and removed by keyboard", async () => {
  render(<People />);
  const field = screen.getByRole("combobox", { name: "People" });

  await userEvent.type(field, "b");
  expect(screen.getByRole("option", { name: "Bo", selected: true })).toBeTruthy();
  await userEvent.keyboard("{Enter}");
  expect(screen.getByRole("button", { name: "Remove Bo" })).toBeTruthy();
  await userEvent.keyboard("{Backspace}");

  expect(screen.queryByRole("button", { name: "Remove Bo" })).toBeNull();
});

test("Enter chooses from a list that was opened by an arrow key, and otherwise submits the empty field's form", async () => {
  const submit = vi.fn<(event: Event) => void>((event) => event.preventDefault());
  render(
    <form onSubmit={submit}>
      <People />
      <button>Send</button>
    </form>,
  );
  screen.getByRole("combobox", { name: "People" }).focus();

  await userEvent.keyboard("{ArrowDown}{ArrowDown}{Enter}");
  expect(screen.getByRole("button", { name: "Remove Bo" })).toBeTruthy();
  expect(submit).not.toHaveBeenCalled();
  await userEvent.keyboard("c{Backspace}{Enter}");

  expect(submit).toHaveBeenCalledOnce();
  expect(screen.queryByRole("button", { name: "Remove Ada" })).toBeNull();
});

test("Shift+Tab leaves the field without choosing", async () => {
  render(
    <>
      <button>Before</button>
      <People />
    </>,
  );

  await userEvent.type(screen.getByRole("combobox", { name: "People" }), "b");
  await userEvent.tab({ shift: true });

  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Before" }));
  expect(screen.queryByRole("button", { name: "Remove Bo" })).toBeNull();
});

test("pasted addresses become chips", async () => {
  render(<People read={(text) => text.split(",").map((label) => ({ key: label, label }))} />);

  await userEvent.click(screen.getByRole("textbox", { name: "People" }));
  await userEvent.paste("a@x.com,b@x.com");

  expect(screen.getAllByRole("button").map((button) => button.getAttribute("aria-label"))).toEqual([
    "Remove a@x.com",
    "Remove b@x.com",
  ]);
});

test("a notice can be undone once, and is announced", async () => {
  const undo = vi.fn<() => void>();
  render(
    <>
      <Toasts />
      <LiveRegion />
    </>,
  );

  toast("12 messages marked as read", { undo });
  await userEvent.click(await screen.findByRole("button", { name: "Undo" }));

  expect(undo).toHaveBeenCalledOnce();
  expect(screen.queryByRole("button", { name: "Undo" })).toBeNull();
  expect(screen.getByRole("status").textContent).toBe("12 messages marked as read");
});

test("the same text announced twice is read twice", async () => {
  render(<LiveRegion />);
  const announced = (): (string | null)[] =>
    Array.from(screen.getByRole("status").children, (child) => child.textContent);

  announce("Copied");
  await vi.waitFor(() => expect(announced()).toContain("Copied"));
  const first = announced();
  announce("Copied");

  await vi.waitFor(() => expect(announced()).toEqual(first.toReversed()));
});

test("of ten thousand rows only those in view exist, each with its position", () => {
  const items = Array.from({ length: 10_000 }, (_, index) => `Person ${index + 1}`);
  render(<Rows items={items} height={40} label="People" keyOf={(name) => name} render={(name) => name} />);

  const rows = screen.getAllByRole("listitem");
  expect(rows.length).toBeLessThan(100);
  expect(rows[2]?.getAttribute("aria-posinset")).toBe("3");
  expect(rows[2]?.getAttribute("aria-setsize")).toBe("10000");
});
