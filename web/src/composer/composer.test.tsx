import { cleanup, fireEvent, render, screen } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { UploadedFile } from "../api/upload.ts";
import { UploadError } from "../api/upload-error.ts";
import { Composer, type ComposerProps, type Drafts } from "./composer.tsx";
import { Matcher } from "../text/matching.ts";
import { channelBeforeTopicText, channelText, mentionText, topicText, type TypeaheadSources } from "./sources.ts";

afterEach(cleanup);

const people = new Matcher(["Ada Lovelace", "Alan Turing", "Bo Larsen"], (name) => name);

const sources: TypeaheadSources = {
  person: ({ query, isSilent }) =>
    people.find(query, 8).map((label) => ({ key: label, label, insert: mentionText(label, isSilent) })),
  channel: ({ query }) =>
    ["design", "development"]
      .filter((name) => name.startsWith(query))
      .map((label) => ({
        key: label,
        label,
        insert: channelText(label),
        insertForTopics: channelBeforeTopicText(label),
      })),
  topic: async ({ query, channel = "" }) =>
    ["logo", "type"]
      .filter((name) => name.startsWith(query))
      .map((label) => ({ key: label, label, insert: topicText(channel, label) })),
  emoji: () => [],
};

class KeptDrafts implements Drafts {
  readonly texts = new Map<string, string>();
  readonly read = (key: string): string => this.texts.get(key) ?? "";
  readonly write = (key: string, text: string): void => void this.texts.set(key, text);
}

function setUp(props: Partial<ComposerProps> = {}) {
  const drafts = new KeptDrafts();
  const onSend = vi.fn<(text: string) => void>();
  const element = (more: Partial<ComposerProps> = {}) => (
    <Composer
      label="Message #design › logo"
      draftKey="a"
      drafts={drafts}
      enterSends
      maxLength={100}
      sources={sources}
      onSend={onSend}
      {...props}
      {...more}
    />
  );
  const { rerender } = render(element());
  const field = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message #design › logo" });
  return { drafts, onSend, field, change: (more: Partial<ComposerProps>) => rerender(element(more)) };
}

test("Enter sends the text and clears the field, Shift+Enter starts a new line", async () => {
  const { field, onSend, drafts } = setUp();

  await userEvent.type(field, "one{Shift>}{Enter}{/Shift}two{Enter}");

  expect(onSend.mock.calls).toEqual([["one\ntwo"]]);
  expect(field.value).toBe("");
  expect(drafts.read("a")).toBe("");
});

test("where Enter starts a new line, Ctrl+Enter sends", async () => {
  const { field, onSend } = setUp({ enterSends: false });

  await userEvent.type(field, "one{Enter}two{Control>}{Enter}{/Control}");

  expect(onSend.mock.calls).toEqual([["one\ntwo"]]);
});

test("whitespace alone is not sent", async () => {
  const { field, onSend } = setUp();

  await userEvent.type(field, "  {Enter}");

  expect(onSend).not.toHaveBeenCalled();
});

test("each conversation keeps its own text", async () => {
  const { field, drafts, change } = setUp();
  drafts.write("b", "of another place");

  await userEvent.type(field, "unsent");
  change({ draftKey: "b" });
  expect(field.value).toBe("of another place");
  change({ draftKey: "a" });

  expect(field.value).toBe("unsent");
});

test("a mention is offered at the caret and chosen by arrows and Enter", async () => {
  const { field, onSend } = setUp();

  await userEvent.type(field, "Hi @a");
  const combobox = screen.getByRole("combobox", { name: "Message #design › logo" });
  expect(screen.getAllByRole("option").map(({ textContent }) => textContent)).toEqual(["Ada Lovelace", "Alan Turing"]);
  await userEvent.keyboard("{ArrowDown}");
  expect(combobox.getAttribute("aria-activedescendant")).toBe(screen.getByRole("option", { selected: true }).id);
  await userEvent.keyboard("{Enter}");

  expect(field.value).toBe("Hi @**Alan Turing** ");
  expect(screen.queryByRole("listbox")).toBeNull();
  expect(onSend).not.toHaveBeenCalled();
});

test("suggestions dismissed with Escape stay closed until another word begins", async () => {
  const leave = vi.fn<() => void>();
  const { field } = setUp({ onLeave: leave });

  await userEvent.type(field, "@a{Escape}l");
  expect(screen.queryByRole("listbox")).toBeNull();
  expect(leave).not.toHaveBeenCalled();
  await userEvent.keyboard(" and @b");

  expect(screen.getByRole("option", { name: "Bo Larsen" })).toBeTruthy();
});

test("a chosen channel continues with its topics", async () => {
  const { field } = setUp();

  await userEvent.type(field, "see #des>");
  await userEvent.click(await screen.findByRole("option", { name: "logo" }));

  expect(field.value).toBe("see #**design>logo** ");
});

test("↑ edits the last message, but only in an empty field", async () => {
  const edit = vi.fn<() => void>();
  const { field } = setUp({ onEditLast: edit });

  await userEvent.type(field, "{ArrowUp}a{ArrowUp}");

  expect(edit).toHaveBeenCalledOnce();
});

test("a button and a shortcut make the selection bold", async () => {
  const { field } = setUp();
  await userEvent.type(field, "word");

  field.setSelectionRange(0, 4);
  await userEvent.click(screen.getByRole("button", { name: "Bold" }));
  expect(field.value).toBe("**word**");
  await userEvent.keyboard("{Control>}b{/Control}");

  expect(field.value).toBe("word");
});

test("near the limit the remaining count is shown; beyond it nothing is sent", async () => {
  const { field, onSend } = setUp();

  fireEvent.input(field, { target: { value: "x".repeat(89) } });
  expect(screen.queryByText(/left/)).toBeNull();
  fireEvent.input(field, { target: { value: "x".repeat(95) } });
  expect(screen.getByText("5 characters left")).toBeTruthy();
  fireEvent.input(field, { target: { value: "😀".repeat(101) } });
  expect(screen.getByText("1 character over the limit")).toBeTruthy();
  await userEvent.type(field, "{Enter}");

  expect(onSend).not.toHaveBeenCalled();
});

interface Upload {
  resolve: (file: UploadedFile) => void;
  reject: (error: Error) => void;
  signal: AbortSignal;
}

function uploads() {
  const started: Upload[] = [];
  const upload: ComposerProps["upload"] = (_, { signal }) =>
    new Promise((resolve, reject) => started.push({ resolve, reject, signal }));
  return { started, upload };
}

const picture = new File(["x"], "plan.png", { type: "image/png" });
const add = (file: File): Promise<void> =>
  userEvent.upload(screen.getByLabelText("Attach files", { selector: "input" }), file);

test("a file has a placeholder in the text at once, which becomes a link", async () => {
  const { started, upload } = uploads();
  const { field, onSend } = setUp({ upload });
  await userEvent.type(field, "Look: ");

  await add(picture);
  expect(field.value).toContain("[Uploading plan.png…]");
  await userEvent.type(field, "{Enter}");
  expect(onSend).not.toHaveBeenCalled();
  started[0]?.resolve({ url: "/user_uploads/1/plan.png", filename: "plan.png" });

  await vi.waitFor(() => expect(field.value).toContain("[plan.png](/user_uploads/1/plan.png)"));
  expect(field.value).not.toContain("Uploading");
});

test("a picture's description goes into its link", async () => {
  const { started, upload } = uploads();
  const { field } = setUp({ upload });
  await add(picture);
  started[0]?.resolve({ url: "/user_uploads/1/plan.png", filename: "plan.png" });

  const alt = await screen.findByRole("textbox", { name: /^plan.png: Describe/ });
  fireEvent.change(alt, { target: { value: "The [new] plan" } });

  await vi.waitFor(() => expect(field.value).toContain("[The  new  plan](/user_uploads/1/plan.png)"));
});

test("a failed upload can be retried; a canceled one leaves nothing behind", async () => {
  const { started, upload } = uploads();
  const { field } = setUp({ upload });
  await add(picture);

  started[0]?.reject(new UploadError("", true));
  await userEvent.click(await screen.findByRole("button", { name: "Retry upload of plan.png" }));
  expect(started).toHaveLength(2);
  await userEvent.click(screen.getByRole("button", { name: "Cancel upload of plan.png" }));

  expect(started[1]?.signal.aborted).toBe(true);
  expect(field.value.trim()).toBe("");
  expect(screen.queryByRole("list", { name: "Attached files" })).toBeNull();
});

test("a finished upload finds its text after the user has moved on", async () => {
  const { started, upload } = uploads();
  const { drafts, change, field } = setUp({ upload });
  await add(picture);

  change({ draftKey: "b", upload });
  started[0]?.resolve({ url: "/user_uploads/1/plan.png", filename: "plan.png" });

  await vi.waitFor(() => expect(drafts.read("a")).toContain("[plan.png](/user_uploads/1/plan.png)"));
  expect(field.value).toBe("");
});

test("a file over the size limit is refused before it is sent", async () => {
  const { started, upload } = uploads();
  const { field } = setUp({ upload, largestFile: 0 });

  await add(picture);

  expect(started).toHaveLength(0);
  expect(field.value).toBe("");
  expect(screen.getByText(/plan.png is larger than/)).toBeTruthy();
});

test("a failed upload blocks sending until it is retried or removed", async () => {
  const { started, upload } = uploads();
  const { field, onSend } = setUp({ upload });
  await userEvent.type(field, "See ");
  await add(picture);
  started[0]?.reject(new UploadError("", true));
  await screen.findByRole("button", { name: "Retry upload of plan.png" });

  await userEvent.type(field, "{Enter}");
  expect(onSend).not.toHaveBeenCalled();
  expect(screen.getByText("Retry or remove the failed uploads")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Remove plan.png" }));
  await userEvent.type(field, "{Enter}");

  expect(onSend.mock.calls).toEqual([["See"]]);
});

test("a placeholder left in a draft by an earlier page is neither shown nor sent", async () => {
  const { drafts, field, change, onSend } = setUp();
  drafts.write("b", "See [Uploading plan.png…](#uploading-x1-3)\nand [this](#narrow/1)");

  change({ draftKey: "b" });
  expect(field.value).toBe("See and [this](#narrow/1)");
  await userEvent.type(field, " [Uploading plan.png…](#uploading-x1-3)".replaceAll("[", "[["));
  await userEvent.keyboard("{Enter}");

  expect(onSend.mock.calls).toEqual([["See and [this](#narrow/1)"]]);
});

test("a text changed elsewhere is shown", () => {
  let notify: ((text: string) => void) | undefined;
  const drafts = new KeptDrafts();
  const watch: Drafts["watch"] = (_key, changed) => {
    notify = changed;
    return () => undefined;
  };
  const { field } = setUp({ drafts: Object.assign(drafts, { watch }) });

  notify?.("from another tab");

  expect(field.value).toBe("from another tab");
});
