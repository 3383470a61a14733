/** Polls, task lists and choices in a message. An action is passed on as the step's data; the new state arrives by event. */
import { useState } from "preact/hooks";
import { listNames } from "../text/names.ts";
import { formatNumber, t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { tip } from "../ui/tooltip.tsx";
import { type Choices, nextOption, nextTask, type Poll, type TaskList } from "./widget-state.ts";
import styles from "./widgets.module.css";

interface WidgetProps<State> {
  state: State;
  userId: number;
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

export function PollWidget({ state, userId, nameOf, onStep }: WidgetProps<Poll>) {
  const most = Math.max(1, ...state.options.map(({ voters }) => voters.length));
  const title = state.question === "" ? t("poll.untitled") : state.question;
  return (
    <div class={styles.widget} role="group" aria-label={title}>
      <h3>{title}</h3>
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

export function TaskListWidget({ state, onStep }: Pick<WidgetProps<TaskList>, "state" | "onStep">) {
  const title = state.title === "" ? t("todo.untitled") : state.title;
  return (
    <div class={styles.widget} role="group" aria-label={title}>
      <h3>{title}</h3>
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
