/** Polls, task lists and choices in a message. An action is passed on as the step's data; the new state arrives by event. */
import "../text/chunks/conversation.ts";
import "../text/chunks/content.ts";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { listNames } from "../text/names.ts";
import { formatNumber, t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { tip } from "../ui/tooltip.tsx";
import { type Choices, nextOption, nextTask, type Poll, type TaskList } from "./widget-state.ts";
import styles from "./widgets.module.css";

interface WidgetProps<State> {
  state: State;
  userId: number;
  /** Whether the reader wrote the message: only its author may change its title. */
  isAuthor: boolean;
  nameOf: (userId: number) => string | undefined;
  /** Becomes a submessage. */
  onStep: (step: Record<string, unknown>) => void;
}

function AddLine({ label, onAdd }: { label: string; onAdd: (text: string) => void }) {
  const [text, setText] = useState("");
  return (
    <form
      class={styles.add}
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === "") return;
        onAdd(text.trim());
        setText("");
      }}
    >
      <input
        type="text"
        aria-label={label}
        placeholder={label}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <Button kind="quiet" type="submit">
        {t("poll.add")}
      </Button>
    </form>
  );
}

interface TitleProps {
  /** Empty if it has none. */
  text: string;
  fallback: string;
  /** What editing it is called. */
  label: string;
  isAuthor: boolean;
  onChange: (text: string) => void;
}

function Title({ text, fallback, label, isAuthor, onChange }: TitleProps) {
  const [edited, setEdited] = useState<string>();
  const button = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const isEditing = edited !== undefined;
  const wasEditing = useRef(false);
  useLayoutEffect(() => {
    if (isEditing) {
      field.current?.focus();
      field.current?.select();
    } else if (wasEditing.current) button.current?.focus();
    wasEditing.current = isEditing;
  }, [isEditing]);
  if (!isEditing)
    return (
      <div class={styles.title}>
        <h3 dir="auto">{text || fallback}</h3>
        {isAuthor && <IconButton ref={button} icon="pencil" size={15} label={label} onClick={() => setEdited(text)} />}
      </div>
    );
  return (
    <form
      class={styles.rename}
      onSubmit={(event) => {
        event.preventDefault();
        const next = edited.trim();
        if (next !== text) onChange(next);
        setEdited(undefined);
      }}
    >
      <input
        ref={field}
        type="text"
        dir="auto"
        aria-label={label}
        value={edited}
        onInput={(event) => setEdited(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          setEdited(undefined);
        }}
      />
      <Button kind="quiet" type="submit">
        {t("edit.save")}
      </Button>
    </form>
  );
}

export function PollWidget({ state, userId, isAuthor, nameOf, onStep }: WidgetProps<Poll>) {
  const most = Math.max(1, ...state.options.map(({ voters }) => voters.length));
  const title = state.question === "" ? t("poll.untitled") : state.question;
  return (
    <div class={styles.widget} role="group" aria-label={title}>
      <Title
        text={state.question}
        fallback={t("poll.untitled")}
        label={t("poll.edit")}
        isAuthor={isAuthor}
        onChange={(question) => onStep({ type: "question", question })}
      />
      <ul class={styles.list}>
        {state.options.map(({ key, text, voters }) => {
          const isMine = voters.includes(userId);
          const names = listNames(
            voters.flatMap((id) => nameOf(id) ?? []),
            6,
          );
          return (
            <li key={key} class={styles.option} style={{ "--share": voters.length / most }}>
              <button
                type="button"
                class={styles.vote}
                aria-pressed={isMine}
                aria-label={`${text}: ${t("poll.votes", { count: voters.length })}`}
                {...tip(names)}
                onClick={() => onStep({ type: "vote", key, vote: isMine ? -1 : 1 })}
              >
                {formatNumber(voters.length)}
              </button>
              <span class={styles.text}>{text}</span>
              <span class={styles.names}>{names}</span>
            </li>
          );
        })}
      </ul>
      <AddLine
        label={t("poll.addOption")}
        onAdd={(option) => onStep({ type: "new_option", idx: nextOption(state), option })}
      />
    </div>
  );
}

type TaskListProps = Pick<WidgetProps<TaskList>, "state" | "isAuthor" | "onStep">;

export function TaskListWidget({ state, isAuthor, onStep }: TaskListProps) {
  const title = state.title === "" ? t("todo.untitled") : state.title;
  return (
    <div class={styles.widget} role="group" aria-label={title}>
      <Title
        text={state.title}
        fallback={t("todo.untitled")}
        label={t("todo.edit")}
        isAuthor={isAuthor}
        onChange={(changed) => onStep({ type: "new_task_list_title", title: changed })}
      />
      <ul class={styles.list}>
        {state.tasks.map(({ key, text, description, isDone }) => (
          <li key={key}>
            <label class={styles.task}>
              <input
                type="checkbox"
                checked={isDone}
                onChange={(event) => {
                  event.currentTarget.checked = isDone;
                  onStep({ type: "strike", key });
                }}
              />
              <span class={isDone ? styles.done : undefined}>
                {text}
                {description !== "" && <span class={styles.names}> {description}</span>}
              </span>
            </label>
          </li>
        ))}
      </ul>
      <AddLine
        label={t("todo.addTask")}
        onAdd={(task) => onStep({ type: "new_task", key: nextTask(state), task, desc: "", completed: false })}
      />
    </div>
  );
}

interface ChoicesProps {
  state: Choices;
  /** Undefined where the reader may not reply. */
  onChoose: ((reply: string) => void) | undefined;
}

export function ChoicesWidget({ state: { heading, choices }, onChoose }: ChoicesProps) {
  return (
    <div class={styles.widget} role="group" aria-label={heading || t("choices.untitled")}>
      {heading !== "" && <h3 dir="auto">{heading}</h3>}
      <ul class={styles.choices}>
        {choices.map(({ name, text, reply }, index) => (
          <li key={index}>
            <button
              type="button"
              class={styles.choice}
              disabled={onChoose === undefined}
              {...tip(t("choices.sends", { reply }))}
              onClick={() => onChoose?.(reply)}
            >
              {name !== "" && name !== text && <b class={styles.choiceName}>{name}</b>}
              <span dir="auto">{text}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
