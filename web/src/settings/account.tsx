/** Logging in: address and password; and the end of the account. */
import "../text/chunks/controls.ts";
import "../text/chunks/settings.ts";
import { useState } from "preact/hooks";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import { elementId } from "../descriptors/setting.ts";
import {
  activeOwnBots,
  canChangeEmail,
  changeEmail,
  changePassword,
  deactivateAccount,
  hasPasswords,
  isLastOwner,
} from "../store/account.ts";
import { self } from "../store/people.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";
import { SecondFactorSection } from "./second-factor.tsx";
import styles from "./settings.module.css";
import { useForm } from "./use-form.tsx";

export default function Account() {
  return (
    <>
      <EmailSection />
      {hasPasswords() && (
        <>
          <PasswordSection />
          <SecondFactorSection />
        </>
      )}
      <EndSection />
    </>
  );
}

function EmailSection() {
  const [email, setEmail] = useState("");
  const form = useForm(async () => {
    await changeEmail(email.trim());
    return t("settings.emailSent", { email: email.trim() });
  });
  const current = part("delivery_email").value ?? "";
  return (
    <section class={styles.group} id={elementId("email")}>
      <h3>{t("settings.emailAddress")}</h3>
      <p class={styles.note}>{current}</p>
      {canChangeEmail() ? (
        <form {...form.props}>
          <TextField
            label={t("settings.newEmail")}
            hint={t("settings.newEmail.hint")}
            type="email"
            required
            autocomplete="email"
            value={email}
            error={form.error}
            onInput={(event) => setEmail(event.currentTarget.value)}
          />
          <Button type="submit" busy={form.isBusy}>
            {t("settings.changeEmail")}
          </Button>
          {form.outcome}
        </form>
      ) : (
        <p class={styles.note}>{t("settings.emailLocked")}</p>
      )}
    </section>
  );
}

function PasswordSection() {
  const [before, setBefore] = useState("");
  const [after, setAfter] = useState("");
  const min = part("password_min_length").value ?? 0;
  const form = useForm(async () => {
    await changePassword(before, after);
    setBefore("");
    setAfter("");
    return t("settings.passwordChanged");
  });
  return (
    <section class={styles.group} id={elementId("password")}>
      <h3>{t("settings.password")}</h3>
      <form {...form.props}>
        <PasswordField
          label={t("settings.currentPassword")}
          required
          autocomplete="current-password"
          value={before}
          onInput={(event) => setBefore(event.currentTarget.value)}
        />
        <PasswordField
          label={t("settings.newPassword")}
          hint={t("settings.newPassword.hint", { count: min })}
          required
          autocomplete="new-password"
          maxLength={part("password_max_length").value ?? 100}
          value={after}
          error={after !== "" && after.length < min ? t("settings.passwordShort", { count: min }) : form.error}
          onInput={(event) => setAfter(event.currentTarget.value)}
        />
        <Button type="submit" busy={form.isBusy} aria-disabled={after.length < min}>
          {t("settings.changePassword")}
        </Button>
        {form.outcome}
        <p class={styles.hint}>
          {t("settings.passwordOthers")} <a href="/accounts/password/reset/">{t("settings.forgotPassword")}</a>
        </p>
      </form>
    </section>
  );
}

function EndSection() {
  const [isAsking, setAsking] = useState(false);
  const isLast = isLastOwner();
  const bots = activeOwnBots();
  return (
    <section class={styles.group} id={elementId("deactivate")}>
      <h3>{t("settings.deactivate")}</h3>
      <p class={styles.note}>{t(isLast ? "settings.deactivate.lastOwner" : "settings.deactivate.hint")}</p>
      <Button kind="danger" disabled={isLast} onClick={() => setAsking(true)}>
        {t("settings.deactivate.action")}
      </Button>
      {isAsking && (
        <DangerDialog
          title={t("settings.deactivate")}
          action={t("settings.deactivate.action")}
          name={self.value.full_name}
          run={deactivateAccount}
          onClose={() => setAsking(false)}
        >
          <ul>
            <li>{t("settings.deactivate.logout")}</li>
            <li>{t("settings.deactivate.messages")}</li>
            {bots.length > 0 && (
              <li>
                {t("settings.deactivate.bots", {
                  count: bots.length,
                  names: bots.map(({ full_name }) => full_name).join(", "),
                })}
              </li>
            )}
            <li>{t("settings.deactivate.back")}</li>
          </ul>
        </DangerDialog>
      )}
    </section>
  );
}
