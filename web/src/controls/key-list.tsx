/** API keys: what each may do, until when, and when and from where it was last used. */
import "../text/chunks/access.ts";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useReloaded } from "../parts/use-reloaded.ts";
import type { Holder, Key } from "../store/access.ts";
import { onEvent } from "../store/events.ts";
import { t } from "../text/t.ts";
import { shortTime, writtenTime } from "../text/time.ts";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import styles from "./access.module.css";
import { RevokedList } from "./revoked-list.tsx";

interface KeyListProps {
  holder: Holder;
  /** Why keys cannot be revoked here. */
  lock?: string | undefined;
  /** More buttons of a row. */
  actions?: (key: Key) => ComponentChildren;
}

export function KeyList({ holder, lock, actions }: KeyListProps) {
  const keys = useReloaded(holder.keys, holder.userId);
  const { reload } = keys;
  useEffect(
    () =>
      onEvent((event) => {
        // Only of the reader's own keys.
        if (event.type === "api_key" && holder.userId === undefined) void reload();
      }),
    [holder.userId],
  );
  return (
    <RevokedList
      label={t("access.keys")}
      items={keys}
      none={t("access.noKeys")}
      render={(key) => <KeyText apiKey={key} />}
      actions={(key, revoke) =>
        lock === undefined && (
          <>
            {actions?.(key)}
            <Button kind="quiet" aria-label={t("access.revokeOne", { name: key.name })} onClick={revoke}>
              {t("access.revoke")}
            </Button>
          </>
        )
      }
      question={({ name }) => ({
        title: t("access.revokeQuestion", { name }),
        text: t("access.revokeText"),
        action: t("access.revoke"),
      })}
      revoke={holder.revokeKey}
    />
  );
}

function KeyText({ apiKey: key }: { apiKey: Key }) {
  const isExpired = key.expires_at !== null && key.expires_at <= Date.now() / 1000;
  return (
    <>
      <div class={styles.name}>
        <span dir="auto">{key.name}</span>
        {key.is_current && <span class={styles.current}>{t("access.current")}</span>}
      </div>
      {key.scopes.includes("*") ? (
        <span class={styles.detail}>{t("access.everything")}</span>
      ) : (
        <ul class={styles.scopes} aria-label={t("access.scopes")}>
          {key.scopes.map((scope) => (
            <li key={scope} class={styles.scope}>
              {scope}
            </li>
          ))}
        </ul>
      )}
      <span class={styles.detail}>
        {t(`access.kind.${key.kind}`, { time: writtenTime(key.created_at) })}
        {" · "}
        <span class={classes(isExpired && styles.expired)}>{endOf(key, isExpired)}</span>
      </span>
      <span class={styles.detail}>{lastUseOf(key)}</span>
    </>
  );
}

function endOf({ expires_at }: Key, isExpired: boolean): string {
  if (expires_at === null) return t("access.neverExpires");
  return t(isExpired ? "access.expired" : "access.expires", { time: writtenTime(expires_at) });
}

function lastUseOf({ last_used_at, last_used_ip }: Key): string {
  if (last_used_at === null) return t("access.neverUsed");
  const time = shortTime(last_used_at);
  return last_used_ip === null ? t("access.usedAt", { time }) : t("access.usedFrom", { time, ip: last_used_ip });
}
