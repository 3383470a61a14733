/** The browsers in which an account is signed in. */
import "../text/chunks/access.ts";
import type { Reloaded } from "../parts/use-reloaded.ts";
import { describeAgent, type Holder, type Session } from "../store/access.ts";
import { t } from "../text/t.ts";
import { shortTime, writtenTime } from "../text/time.ts";
import { Button } from "../ui/button.tsx";
import styles from "./access.module.css";
import { RevokedList } from "./revoked-list.tsx";

interface SessionListProps {
  holder: Holder;
  sessions: Reloaded<readonly Session[]>;
  /** Why sessions cannot be ended here. */
  lock?: string | undefined;
}

export const SessionList = ({ holder, sessions, lock }: SessionListProps) => (
  <RevokedList
    label={t("access.sessions")}
    items={sessions}
    none={t("access.noSessions")}
    render={(session) => <SessionText session={session} />}
    actions={(session, revoke) =>
      lock === undefined &&
      // The menu signs this browser out.
      !session.is_current && (
        <Button kind="quiet" aria-label={t("access.signOutOne", { name: nameOf(session) })} onClick={revoke}>
          {t("access.signOut")}
        </Button>
      )
    }
    question={(session) => ({
      title: t("access.signOutQuestion", { name: nameOf(session) }),
      text: t("access.signOutText"),
      action: t("access.signOut"),
    })}
    revoke={holder.endSession}
  />
);

function nameOf({ user_agent }: Session): string {
  const { browser, system } = describeAgent(user_agent ?? "");
  if (browser === undefined) return system ?? t("access.unknownBrowser");
  return system === undefined ? browser : t("access.browserOn", { browser, system });
}

const SessionText = ({ session }: { session: Session }) => (
  <>
    <div class={styles.name}>
      <span title={session.user_agent ?? undefined}>{nameOf(session)}</span>
      {session.is_current && <span class={styles.current}>{t("access.thisBrowser")}</span>}
    </div>
    <span class={styles.detail}>
      {session.ip === null
        ? t("access.signedIn", { time: writtenTime(session.created_at) })
        : t("access.signedInFrom", { time: writtenTime(session.created_at), ip: session.ip })}
    </span>
    <span class={styles.detail}>{t("access.lastUsed", { time: shortTime(session.last_used_at) })}</span>
  </>
);
