/**
 * Where messages are written. The text is only in the field, so typing costs nothing beyond the browser's own work, and
 * input methods and undo work; listeners are notified of each change. **Invariant:** the text on screen belongs to
 * `draftKey`; when that changes, the other draft is shown and nothing of either is lost.
 */
import type { ComponentChildren, Ref } from "preact";
import { useId, useImperativeHandle, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Emoji, EmojiSource } from "../text/emoji.ts";
import { EmojiButton } from "../emoji/emoji-button.tsx";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import type { Anchor } from "../ui/popover.tsx";
import { Lazy } from "../ui/lazy.tsx";
import { SuggestionList } from "../ui/suggestion-list.tsx";
import { type CaretPlace, caretPlace } from "./caret.ts";
import styles from "./composer.module.css";
import { areFilesOver } from "./dropped-files.ts";
import { applyEdit, type Edit, replacePiece } from "./edit.ts";
import { meaningOfEnter } from "./enter.ts";
import { EnterSwitch } from "./enter-switch.tsx";
import { format, type Format, lineBreak, type Selected } from "./formatting.ts";
import { paste } from "./paste.ts";
import { Preview } from "./preview.tsx";
import type { TypeaheadSources } from "./sources.ts";
import { Toolbar } from "./toolbar.tsx";
import { useTypeahead } from "./use-typeahead.ts";
import { type UploadFunction, useUploads } from "./use-uploads.ts";

/** The same object as long as the drafts are the same: uploads belong to it. */
export interface Drafts {
  read: (key: string) => string;
  /** Called on each change; the callee decides when to save. */
  write: (key: string, text: string) => void;
  /** Calls the listener when the text was changed elsewhere, for example in another tab; returns a function to unsubscribe. */
  watch?: (key: string, changed: (text: string) => void) => () => void;
}

export interface ComposerHandle {
  focus: () => void;
  /** Inserts at the caret as if typed, so it can be undone. */
  insert: (text: string) => void;
  /** Inserts a quote on its own lines, with room below to continue. */
  insertBlock: (text: string) => void;
  setText: (text: string) => void;
  text: () => string;
  /** False where files cannot be attached. */
  attach: (files: Iterable<File>) => boolean;
}

export interface ComposerProps {
  /** Names the destination, such as "Message #design › logo": the field's label and placeholder. */
  label: string;
  draftKey: string;
  drafts: Drafts;
  enterSends: boolean;
  /** Shows a switch beside Send. */
  onEnterSends?: ((enterSends: boolean) => void) | undefined;
  /** In characters. */
  maxLength: number;
  sources: TypeaheadSources;
  onSend: (text: string) => void;
  /** Why it cannot be sent now, apart from being empty or too long. */
  blocked?: string | undefined;
  emoji?: EmojiSource | undefined;
  upload?: UploadFunction | undefined;
  /** For each file, in bytes. */
  largestFile?: number | undefined;
  renderPreview?: ((text: string) => string | Promise<string>) | undefined;
  /** Between text and buttons: warnings about mentions. */
  warnings?: ComponentChildren;
  /** Above the text: a topic field, or the people of a new conversation. */
  header?: ComponentChildren;
  /** The menu of the arrow beside Send. */
  sendLater?: ((menu: SendLaterMenu) => ComponentChildren) | undefined;
  sendLabel?: string;
  /** ↑ in an empty field. */
  onEditLast?: (() => void) | undefined;
  /** Escape: the text stays. */
  onLeave?: (() => void) | undefined;
  onTextChange?: ((text: string) => void) | undefined;
  autofocus?: boolean;
  handle?: Ref<ComposerHandle>;
}

export interface SendLaterMenu {
  anchor: Anchor;
  /** Undefined while there is nothing that could be sent. */
  text: string | undefined;
  onClose: () => void;
}

const attachments = () => import("./attachments.tsx");
const counted = 0.9;

// While suggestions are open the field has the role combobox, although HTML has no such textarea: otherwise the active option is not announced.
const openCombobox = { role: "combobox" as "textbox" };

/** Counts characters as the server does; only needed near the limit. */
const lengthOf = (text: string, limit: number): number =>
  text.length < limit * counted ? text.length : Array.from(text).length;

export function Composer(props: ComposerProps) {
  const { label, draftKey, drafts, enterSends, maxLength, sources, onSend, blocked, handle } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const caret = useRef<HTMLSpanElement>(null);
  const note = useId();
  const [length, setLength] = useState(0);
  const [previewed, setPreviewed] = useState<string>();
  const [isDropping, setDropping] = useState(false);
  const [isLaterOpen, setLaterOpen] = useState(false);
  const arrow = useRef<HTMLButtonElement>(null);
  const typeahead = useTypeahead(field, sources);

  const text = (): string => field.current?.value ?? "";
  const selected = (): Selected => ({
    text: text(),
    start: field.current?.selectionStart ?? 0,
    end: field.current?.selectionEnd ?? 0,
  });
  const change = (edit: Edit): void => {
    if (field.current) applyEdit(field.current, edit);
  };
  const changed = (): void => {
    const now = text();
    setLength(now.trim() === "" ? 0 : lengthOf(now, maxLength));
    drafts.write(draftKey, now);
    props.onTextChange?.(now);
  };
  const setText = (next: string): void => {
    if (!field.current) return;
    field.current.value = next;
    setLength(next.trim() === "" ? 0 : lengthOf(next, maxLength));
  };
  const insert = (inserted: string): void => {
    const { start, end } = selected();
    change({ from: start, to: end, insert: inserted });
  };
  const insertBlock = (block: string): void => {
    const { text: now, start, end } = selected();
    const before = now.slice(0, start) === "" || now.slice(0, start).endsWith("\n") ? "" : "\n";
    const after = now.slice(end).startsWith("\n") ? "" : "\n";
    change({ from: start, to: end, insert: before + block + after });
  };

  const uploads = useUploads({
    upload: props.upload,
    drafts,
    draftKey,
    largest: props.largestFile,
    insert: insertBlock,
    replace: (piece, by) => field.current !== null && replacePiece(field.current, piece, by),
  });

  useLayoutEffect(() => {
    setPreviewed(undefined);
    typeahead.close();
    setText(uploads.withoutLost(drafts.read(draftKey)));
    if (props.autofocus) field.current?.focus({ preventScroll: true });
    return drafts.watch?.(draftKey, (elsewhere) => {
      setText(uploads.withoutLost(elsewhere));
      if (elsewhere === "") uploads.forget();
      props.onTextChange?.(text());
    });
  }, [draftKey]);

  useImperativeHandle(handle ?? null, () => ({
    focus: () => field.current?.focus(),
    insert,
    insertBlock,
    text,
    attach: (files) => {
      if (!props.upload) return false;
      setPreviewed(undefined);
      uploads.add(files);
      return true;
    },
    setText: (next) => {
      setText(next);
      changed();
    },
  }));

  const over = length - maxLength;
  const reason = blocked ?? uploads.reasonToWait;
  const canSend = length > 0 && over <= 0 && reason === undefined;

  const textToSend = (): string => uploads.withoutLost(text()).trim();
  const send = (): void => {
    if (!canSend) return;
    const sent = textToSend();
    setPreviewed(undefined);
    typeahead.close();
    setText("");
    uploads.forget();
    changed();
    field.current?.focus({ preventScroll: true });
    onSend(sent);
  };
  const togglePreview = (): void => {
    const isHere = frame.current?.contains(document.activeElement) ?? false;
    setPreviewed(previewed === undefined ? text() : undefined);
    if (previewed !== undefined) requestAnimationFrame(() => field.current?.focus());
    // The element that had focus is gone.
    else if (isHere) requestAnimationFrame(() => frame.current?.querySelector<HTMLElement>("[role=region]")?.focus());
  };
  const applyFormat = (what: Format): void => change(format(what, selected()));

  const onKeyDown = (event: KeyboardEvent): void => {
    if (typeahead.handleKey(event)) return;
    const meaning = meaningOfEnter(event, enterSends);
    const shortcut = formatOfKeys(event);
    if (meaning === "send") send();
    else if (meaning === "break") {
      const edit = lineBreak(selected());
      if (edit) change(edit);
      else if (event.ctrlKey || event.metaKey) insert("\n");
      else return;
    } else if (shortcut) applyFormat(shortcut);
    else if (event.key === "ArrowUp" && text() === "" && props.onEditLast && !event.shiftKey) props.onEditLast();
    else if (event.key === "Escape" && props.onLeave && !event.isComposing) {
      props.onLeave();
      // There may be nothing else to focus.
      if (document.activeElement === field.current) field.current?.blur();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };

  // The composer that receives files dropped elsewhere on the page.
  const isPageTarget = handle !== undefined && props.upload !== undefined;
  const { trigger, combobox } = typeahead;
  const place = usePlace(field, frame, trigger?.start);
  const hasFiles = (event: DragEvent): boolean =>
    props.upload !== undefined && (event.dataTransfer?.types.includes("Files") ?? false);

  const form = (
    <form
      class={styles.composer}
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => {
        if (!event.altKey || event.code !== "KeyP" || !props.renderPreview) return;
        event.preventDefault();
        togglePreview();
      }}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        event.stopPropagation();
        areFilesOver.value = false;
        setDropping(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setDropping(false);
      }}
      onDrop={(event) => {
        setDropping(false);
        if (!hasFiles(event)) return;
        event.preventDefault();
        setPreviewed(undefined);
        uploads.add(event.dataTransfer?.files ?? []);
      }}
    >
      {props.header}
      <div ref={frame} class={styles.field}>
        <textarea
          ref={field}
          class={styles.text}
          hidden={previewed !== undefined}
          rows={1}
          dir="auto"
          placeholder={label}
          aria-label={label}
          aria-describedby={over > -maxLength * (1 - counted) || reason ? note : undefined}
          aria-invalid={over > 0 || undefined}
          aria-autocomplete="list"
          autocomplete="off"
          {...(trigger && { ...combobox.field, ...openCombobox })}
          spellcheck
          onInput={() => {
            changed();
            typeahead.look();
          }}
          onClick={typeahead.look}
          onKeyUp={(event) => {
            if (/^(?:Arrow(?:Left|Right)|Home|End)$/.test(event.key)) typeahead.look();
          }}
          onKeyDown={onKeyDown}
          onBlur={typeahead.close}
          onPaste={(event) => {
            const files = event.clipboardData?.files;
            // An image copied from a page comes with HTML; a table from a spreadsheet comes with an image.
            if (props.upload && files && files.length > 0 && event.clipboardData?.getData("text/plain") === "") {
              event.preventDefault();
              uploads.add(files);
            } else if (field.current) paste(event, field.current);
          }}
        />
        {previewed !== undefined && props.renderPreview && <Preview text={previewed} render={props.renderPreview} />}
        <span
          ref={caret}
          class={styles.caret}
          style={place && { left: `${place.left}px`, top: `${place.top}px`, height: `${place.height}px` }}
        />
        {trigger && (
          <SuggestionList
            combobox={combobox}
            label={t("composer.suggestions")}
            anchor={caret}
            position={`${trigger.start}`}
            place="above"
          />
        )}
      </div>
      {uploads.attachments.length > 0 && <Lazy load={attachments} props={{ uploads }} />}
      {props.warnings && <div class={styles.warnings}>{props.warnings}</div>}
      <div class={styles.bar}>
        <Toolbar
          isPreview={previewed !== undefined}
          canPreview={props.renderPreview !== undefined}
          canAttach={props.upload !== undefined}
          onFormat={applyFormat}
          onFiles={uploads.add}
          onPreview={togglePreview}
          emojiButton={
            props.emoji && (
              <EmojiButton
                source={props.emoji}
                label={t("composer.emoji")}
                onChoose={({ name }: Emoji) => insert(`:${name}: `)}
              />
            )
          }
        />
        <span id={note} class={classes(styles.note, over > 0 && styles.over)}>
          {over > -maxLength * (1 - counted)
            ? over > 0
              ? t("composer.over", { count: over })
              : t("composer.left", { count: -over })
            : length > 0 && reason}
        </span>
        {props.onEnterSends && <EnterSwitch isOn={enterSends} onChange={props.onEnterSends} />}
        <span class={styles.sendGroup}>
          <button
            type="submit"
            class={styles.send}
            aria-disabled={!canSend}
            aria-label={props.sendLabel ?? t("composer.send")}
            data-tip={reason ?? props.sendLabel ?? t("composer.send")}
            data-keys={reason ? undefined : enterSends ? "Enter" : "Mod+Enter"}
          >
            <Icon name="send-horizontal" size={18} />
          </button>
          {props.sendLater && (
            <IconButton
              ref={arrow}
              icon="chevron-down"
              label={t("composer.moreWaysToSend")}
              class={styles.sendMore}
              aria-haspopup="menu"
              aria-expanded={isLaterOpen}
              // The menu closes on pointer down; without this the click would open it again.
              onPointerDown={(event) => isLaterOpen && event.preventDefault()}
              onClick={() => setLaterOpen(!isLaterOpen)}
            />
          )}
        </span>
      </div>
      {(isDropping || (isPageTarget && areFilesOver.value)) && <div class={styles.drop}>{t("composer.dropFiles")}</div>}
    </form>
  );
  // Outside the form: what is submitted in its dialog is not the message.
  return (
    <>
      {form}
      {isLaterOpen &&
        props.sendLater?.({
          anchor: arrow,
          text: canSend ? textToSend() : undefined,
          onClose: () => setLaterOpen(false),
        })}
    </>
  );
}

function formatOfKeys(event: KeyboardEvent): Format | undefined {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return undefined;
  const key = event.key.toLowerCase();
  if (!event.shiftKey) return key === "b" ? "bold" : key === "i" ? "italic" : undefined;
  return key === "l" ? "link" : key === "c" ? "code" : undefined;
}

/** The position of the suggestion list: measured when a word begins, not on each keystroke. */
function usePlace(
  field: { current: HTMLTextAreaElement | null },
  frame: { current: HTMLElement | null },
  start: number | undefined,
): CaretPlace | undefined {
  const measured = useRef<{ start: number; place: CaretPlace }>(undefined);
  if (start === undefined || field.current === null || frame.current === null) return undefined;
  if (measured.current?.start !== start) measured.current = { start, place: caretPlace(field.current, start) };
  return measured.current.place;
}
