/** Invites people: pasted addresses become chips, or a link is created to share. */
import "../text/chunks/controls.ts";
import "../text/chunks/people.ts";
import { createInvitationLink, sendInvitations } from "@skein/api/routes/invitations.ts";
import type { Role } from "@skein/api/users.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { Refusal } from "@skein/api/failures.ts";
import { subscribedChannels } from "../store/channels.ts";
import { self } from "../store/people.ts";
import { reasonOf } from "../store/reasons.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { findAddresses } from "../ui/addresses.ts";
import { Button } from "../ui/button.tsx";
import { ChipsField, type Chip } from "../ui/chips.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField } from "../ui/field.tsx";
import { toast } from "../store/toasts.ts";
import styles from "./invite-dialog.module.css";

const expiries = { day: 24 * 60, days: 10 * 24 * 60, month: 30 * 24 * 60, never: null } as const;
type Expiry = keyof typeof expiries;

const toChips = (text: string): Chip[] =>
  findAddresses(text).map(({ address, isValid }) => ({
    key: address.toLowerCase(),
    label: address,
    icon: "mail",
    ...(isValid ? {} : { problem: t("invite.invalid") }),
  }));

const toChannelChip = ({ stream_id, name }: { stream_id: number; name: string }): Chip => ({
  key: String(stream_id),
  label: name,
  icon: "hash",
});

export default function InviteDialog({ onClose }: { onClose: () => void }) {
  const [people, setPeople] = useState<Chip[]>([]);
  const [channels, setChannels] = useState<Chip[]>(() =>
    (part("realm_default_streams").peek() ?? []).flatMap((id) => {
      const found = allChannels().find(({ stream_id }) => stream_id === id);
      return found ? [toChannelChip(found)] : [];
    }),
  );
  const [role, setRole] = useState<Role>(400);
  const [expiry, setExpiry] = useState<Expiry>("days");
  const [error, setError] = useState<string>();
  const [link, setLink] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  const options = {
    invite_expires_in_minutes: expiries[expiry],
    invite_as: role,
    stream_ids: channels.map(({ key }) => Number(key)),
  };
  const attempt = async (request: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await request();
    } catch (failure) {
      if (failure instanceof Refusal) setPeople(withReasons(people, failure));
      setError(reasonOf(failure));
    } finally {
      setBusy(false);
    }
  };
  const send = (): void =>
    void attempt(async () => {
      await call(sendInvitations, { invitee_emails: people.map(({ label }) => label).join(","), ...options });
      onClose();
      toast(t("invite.sent", { count: people.length }));
    });
  const makeLink = (): void =>
    void attempt(async () => setLink((await call(createInvitationLink, options)).invite_link));

  return (
    <Dialog
      title={t("invite.title")}
      onClose={onClose}
      keepsOnOutsidePress
      onSubmit={() => people.length > 0 && send()}
      actions={
        <>
          <Button icon="link" busy={isBusy} onClick={makeLink}>
            {t("invite.makeLink")}
          </Button>
          <Button kind="primary" type="submit" busy={isBusy} aria-disabled={people.length === 0}>
            {t("invite.send")}
          </Button>
        </>
      }
    >
      <div class={styles.form}>
        <ChipsField
          label={t("invite.addresses")}
          hint={t("invite.addressesHint")}
          error={error}
          chips={people}
          onChange={setPeople}
          read={toChips}
          autofocus
        />
        <ChipsField
          label={t("sidebar.channels")}
          chips={channels}
          onChange={setChannels}
          suggest={(query) =>
            allChannels()
              .filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()))
              .slice(0, 8)
              .map(toChannelChip)
          }
        />
        <div class={styles.pair}>
          <SelectField
            label={t("invite.role")}
            value={String(role)}
            options={([600, 400, 300, 200, 100] as const)
              .filter((value) => value >= self.value.role)
              .map((value) => ({ value: String(value), label: t(`role.${value}`) }))}
            onChange={(event) => setRole(Number(event.currentTarget.value) as Role)} // one of those above
          />
          <SelectField
            label={t("invite.expires")}
            value={expiry}
            options={(Object.keys(expiries) as Expiry[]).map((value) => ({ value, label: t(`invite.${value}`) }))}
            onChange={(event) => setExpiry(event.currentTarget.value as Expiry)} // one of those above
          />
        </div>
        {link !== undefined && (
          <div class={styles.link}>
            <output class={styles.address} aria-label={t("invite.link")}>
              {link}
            </output>
            <Button
              icon="copy"
              onClick={() => void navigator.clipboard.writeText(link).then(() => toast(t("conversation.linkCopied")))}
            >
              {t("invite.copy")}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  );
}

const allChannels = () => {
  const { pinned, active, inactive } = subscribedChannels.peek();
  return [...pinned, ...active, ...inactive];
};

/** Addresses that could not be invited stay, each with its reason; the others were sent. */
function withReasons(people: Chip[], { data }: Refusal): Chip[] {
  const errors = data["errors"];
  if (!Array.isArray(errors)) return people;
  const reasons = new Map(
    (errors as [string, string, boolean][]).map(([email, reason]) => [email.toLowerCase(), reason]),
  ); // as documented
  return people.flatMap((chip) => {
    const problem = reasons.get(chip.key);
    if (problem !== undefined) return [{ ...chip, problem }];
    return data["sent_invitations"] === true ? [] : [chip];
  });
}
