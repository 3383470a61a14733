import { cleanup, fireEvent, render, screen } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { UploadError, type UploadedFile } from "../files/upload.ts";
import { Composer, type ComposerProps, type Drafts } from "./composer.tsx";
import { Matcher } from "./matching.ts";
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

test("Enter sends the text and empties the field, Shift Enter breaks the line", async () => {
  const { field, onSend, drafts } = setUp();

  await userEvent.type(field, "one{Shift>}{Enter}{/Shift}two{Enter}");

  expect(onSend.mock.calls).toEqual([["one\ntwo"]]);
  expect(field.value).toBe("");
  expect(drafts.read("a")).toBe("");
});

test("where Enter breaks the line, Ctrl Enter sends", async () => {
  const { field, onSend } = setUp({ enterSends: false });

  await userEvent.type(field, "one{Enter}two{Control>}{Enter}{/Control}");

  expect(onSend.mock.calls).toEqual([["one\ntwo"]]);
});

test("white space alone is not sent", async () => {
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

test("a suggestion put away by Escape stays away until another word begins", async () => {
  const leave = vi.fn<() => void>();
  const { field } = setUp({ onLeave: leave });

  await userEvent.type(field, "@a{Escape}l");
  expect(screen.queryByRole("listbox")).toBeNull();
  expect(leave).not.toHaveBeenCalled();
  await userEvent.keyboard(" and @b");

  expect(screen.getByRole("option", { name: "Bo Larsen" })).toBeTruthy();
});

test("a channel goes on with its topics", async () => {
  const { field } = setUp();

  await userEvent.type(field, "see #des>");
  await userEvent.click(await screen.findByRole("option", { name: "logo" }));

  expect(field.value).toBe("see #**design>logo** ");
});

test("the last message is edited by ↑ in an empty field, and only there", async () => {
  const edit = vi.fn<() => void>();
  const { field } = setUp({ onEditLast: edit });

  await userEvent.type(field, "{ArrowUp}a{ArrowUp}");

  expect(edit).toHaveBeenCalledOnce();
});

test("the selection is made bold by button and by keys", async () => {
  const { field } = setUp();
  await userEvent.type(field, "word");

  field.setSelectionRange(0, 4);
  await userEvent.click(screen.getByRole("button", { name: "Bold" }));
  expect(field.value).toBe("**word**");
  await userEvent.keyboard("{Control>}b{/Control}");

  expect(field.value).toBe("word");
});

test("near the limit it is told how much is left, beyond it nothing is sent", async () => {
  const { field, onSend } = setUp();

  fireEvent.input(field, { target: { value: "x".repeat(89) } });
  expect(screen.queryByText(/left/)).toBeNull();
  fireEvent.input(field, { target: { value: "x".repeat(95) } });
  expect(screen.getByText("5 characters left")).toBeTruthy();
  fireEvent.input(field, { target: { value: "😀".repeat(101) } });
  expect(screen.getByText("1 character too many")).toBeTruthy();
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

test("a file stands in the text from the first moment and is a link in the end", async () => {
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

test("a picture can be described, in its link", async () => {
  const { started, upload } = uploads();
  const { field } = setUp({ upload });
  await add(picture);
  started[0]?.resolve({ url: "/user_uploads/1/plan.png", filename: "plan.png" });

  const alt = await screen.findByRole("textbox", { name: /^plan.png: Describe/ });
  fireEvent.change(alt, { target: { value: "The [new] plan" } });

  await vi.waitFor(() => expect(field.value).toContain("[The  new  plan](/user_uploads/1/plan.png)"));
});

test("a file that failed can be tried again; one that was cancelled leaves nothing behind", async () => {
  const { started, upload } = uploads();
  const { field } = setUp({ upload });
  await add(picture);

  started[0]?.reject(new UploadError("", true));
  await userEvent.click(await screen.findByRole("button", { name: "Try again to upload plan.png" }));
  expect(started).toHaveLength(2);
  await userEvent.click(screen.getByRole("button", { name: "Cancel the upload of plan.png" }));

  expect(started[1]?.signal.aborted).toBe(true);
  expect(field.value.trim()).toBe("");
  expect(screen.queryByRole("list", { name: "Attached files" })).toBeNull();
});

test("a file finds its text also after one has gone elsewhere", async () => {
  const { started, upload } = uploads();
  const { drafts, change, field } = setUp({ upload });
  await add(picture);

  change({ draftKey: "b", upload });
  started[0]?.resolve({ url: "/user_uploads/1/plan.png", filename: "plan.png" });

  await vi.waitFor(() => expect(drafts.read("a")).toContain("[plan.png](/user_uploads/1/plan.png)"));
  expect(field.value).toBe("");
});

test("a file beyond the limit is refused before it is sent", async () => {
  const { started, upload } = uploads();
  const { field } = setUp({ upload, largestFile: 0 });

  await add(picture);

  expect(started).toHaveLength(0);
  expect(field.value).toBe("");
  expect(screen.getByText(/plan.png is larger than/)).toBeTruthy();
});
