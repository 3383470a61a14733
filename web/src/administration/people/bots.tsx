/** Everybody's bots, and the page of one of them. */
import "../../text/chunks/roles.ts";
import "../../text/chunks/controls.ts";
import "../../text/chunks/members.ts";
import "../../text/chunks/settings.ts";
import { deactivateBot, updateBot } from "@skein/api/routes/bots.ts";
import type { Role } from "@skein/api/users.ts";
import { useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { BotKey } from "../../controls/bot-key.tsx";
import { DangerDialog } from "../../controls/danger-dialog.tsx";
import type { SectionViewProps } from "../../controls/settings-page.tsx";
import { Table, ToolSelect, type Column } from "../../controls/table.tsx";
import { TextSetting } from "../../controls/text-setting.tsx";
import { useSaving } from "../../controls/use-saving.ts";
import type { Section } from "../../descriptors/setting.ts";
import { addressOf, go, openPanel } from "../../navigation/router.ts";
import { idsOf, suggestPeople, toChip } from "../../parts/people-chips.ts";
import { Nowhere } from "../../parts/nowhere.tsx";
import { lockOfBot } from "../../store/bot-rules.ts";
import { botListing, findBot, findUser } from "../../store/people-lists.ts";
import { findPerson, type Person } from "../../store/people.ts";
import { isAdministrator } from "../../store/roles.ts";
import { toast } from "../../store/toasts.ts";
import { roleOf, rolesFor } from "../../store/user-rules.ts";
import { t } from "../../text/t.ts";
import { Button } from "../../ui/button.tsx";
import { ChipsField } from "../../ui/chips.tsx";
import { Empty } from "../../ui/empty.tsx";
import { SelectField } from "../../ui/field.tsx";
import type { MenuEntry } from "../../ui/menu.tsx";
import { ReactivateDialog } from "./activation-dialogs.tsx";
import styles from "./people.module.css";
import { JoinedTime, PersonName } from "./person-cells.tsx";
import { BackLink } from "./user-page.tsx";

const botTypes = [1, 2, 3, 4] as const;
const typeOf = ({ bot_type }: Person): string => {
  const type = botTypes.find((each) => each === bot_type);
  return type === undefined ? t("message.bot") : t(`bots.type.${type}`);
};

const Owner = ({ userId }: { userId: number | null | undefined }) => {
  if (typeof userId !== "number") return <>{t("bots.noOwner")}</>;
  const { full_name, isActive } = findPerson(userId);
  const name = full_name || t("person.unknown");
  return <>{isActive ? name : t("bots.deactivatedOwner", { name })}</>;
};

const columns = (): Column<Person>[] => [
  { id: "name", label: t("members.name"), width: "2fr", render: (bot) => <PersonName person={bot} /> },
  {
    id: "address",
    label: t("members.address"),
    width: "2fr",
    card: "none",
    render: ({ delivery_email, email }) => delivery_email ?? email,
  },
  { id: "type", label: t("bots.type"), width: "9rem", render: typeOf },
  {
    id: "owner",
    label: t("bots.owner"),
    width: "1.3fr",
    isLabelled: true,
    render: ({ bot_owner_id }) => <Owner userId={bot_owner_id} />,
  },
  {
    id: "state",
    label: t("bots.state"),
    width: "7rem",
    render: ({ isActive }) => t(isActive ? "bots.active" : "bots.deactivated"),
  },
];

const isDeactivated = ({ isActive }: Person): boolean => !isActive;
const isActiveBot = ({ isActive }: Person): boolean => isActive;

export default function Bots({ section, item }: SectionViewProps) {
  if (item !== undefined && /^\d+$/.test(item)) return <BotPage botId={Number(item)} section={section} />;
  return <BotTable />;
}

function BotTable() {
  const [state, setState] = useState("active");
  const [asked, setAsked] = useState<Person>();
  const pageOf = ({ user_id }: Person) => addressOf({ kind: "organization", section: "bots", item: String(user_id) });
  const actionsOf = (bot: Person): MenuEntry[] => {
    const lock = lockOfBot(bot);
    return [
      {
        label: t("members.showProfile"),
        icon: "user",
        onSelect: () => openPanel({ kind: "user", userId: bot.user_id }),
      },
      { label: t("members.manage"), icon: "pencil", disabled: lock !== undefined, onSelect: () => go(pageOf(bot)) },
      "line",
      {
        label: t(bot.isActive ? "members.deactivate" : "members.reactivate"),
        icon: bot.isActive ? "user-x" : "rotate-ccw",
        isDangerous: bot.isActive,
        disabled: lock !== undefined,
        ...(lock === undefined ? {} : { hint: lock }),
        onSelect: () => setAsked(bot),
      },
    ];
  };
  return (
    <>
      <Table
        id="bots"
        label={t("members.bots")}
        listing={botListing}
        columns={columns()}
        sortedBy="name"
        nameOf={({ full_name }) => full_name}
        filterLabel={t("bots.find")}
        countOf={(count) => t("bots.count", { count })}
        filters={
          <ToolSelect
            label={t("bots.state")}
            value={state}
            options={[
              { value: "active", label: t("bots.active") },
              { value: "deactivated", label: t("bots.deactivated") },
              { value: "all", label: t("bots.all") },
            ]}
            onChange={setState}
          />
        }
        isShown={state === "all" ? undefined : state === "active" ? isActiveBot : isDeactivated}
        noneShown={t(state === "active" ? "bots.noneActive" : "bots.noneDeactivated")}
        onOpen={(bot) =>
          lockOfBot(bot) === undefined ? go(pageOf(bot)) : openPanel({ kind: "user", userId: bot.user_id })
        }
        actionsOf={actionsOf}
        empty={
          <Empty icon="bot" title={t("bots.none")}>
            <p>{t("bots.noneHint")}</p>
          </Empty>
        }
      />
      {asked && <BotActivation bot={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

const BotActivation = ({ bot, onClose }: { bot: Person; onClose: () => void }) =>
  bot.isActive ? (
    <DangerDialog
      title={t("members.deactivateOne", { name: bot.full_name })}
      action={t("members.deactivate")}
      run={async () => {
        await call(deactivateBot, { bot_id: bot.user_id });
        toast(t("members.wasDeactivated", { name: bot.full_name }));
      }}
      onClose={onClose}
    >
      <ul class={styles.consequences}>
        <li>{t("bots.losesKey")}</li>
        <li>{t("bots.keepsMessages")}</li>
      </ul>
    </DangerDialog>
  ) : (
    <ReactivateDialog person={bot} onClose={onClose} />
  );

function BotPage({ botId, section }: { botId: number; section: Section }) {
  const bot = findUser(botId);
  /** The bot as it was when the user was asked: a dialog does not turn into its opposite when the event arrives. */
  const [asked, setAsked] = useState<Person>();
  if (!bot?.is_bot) return <Nowhere />;
  const lock = lockOfBot(bot);
  return (
    <div class={styles.page}>
      <BackLink section={section} />
      <header class={styles.head}>
        <h3>
          <PersonName person={bot} />
        </h3>
        <Button icon="user" onClick={() => openPanel({ kind: "user", userId: botId })}>
          {t("members.showProfile")}
        </Button>
      </header>
      <p class={styles.quiet}>
        {typeOf(bot)} · {t(bot.isActive ? "bots.active" : "bots.deactivated")} · {t("bots.created")}{" "}
        <JoinedTime date={bot.date_joined} />
      </p>
      {lock !== undefined && <p class={styles.quiet}>{lock}</p>}
      <BotName bot={bot} lock={lock} />
      <BotOwner bot={bot} lock={lock} />
      {isAdministrator() && <BotRole bot={bot} lock={lock} />}
      {bot.isActive && lock === undefined && (
        <BotKey
          userId={botId}
          name={bot.full_name}
          email={bot.delivery_email ?? bot.email}
          apiKey={findBot(botId)?.api_key ?? ""}
        />
      )}
      <h3>{t("members.account")}</h3>
      <Button
        kind={bot.isActive ? "danger" : "plain"}
        icon={bot.isActive ? "user-x" : "rotate-ccw"}
        disabled={lock !== undefined}
        onClick={() => setAsked(bot)}
      >
        {t(bot.isActive ? "members.deactivate" : "members.reactivate")}
      </Button>
      {asked && <BotActivation bot={asked} onClose={() => setAsked(undefined)} />}
    </div>
  );
}

interface PartProps {
  bot: Person;
  lock: string | undefined;
}

function BotName({ bot: { user_id, full_name }, lock }: PartProps) {
  const { save, ...state } = useSaving();
  return (
    <TextSetting
      {...state}
      label={t("members.name")}
      hint={undefined}
      disabled={lock !== undefined}
      control={{ kind: "text", maxLength: 100, isRequired: true }}
      value={full_name}
      onChange={(name) => void save(() => call(updateBot, { bot_id: user_id, full_name: name }))}
    />
  );
}

/** One person: the last one chosen. */
function BotOwner({ bot: { user_id, bot_owner_id }, lock }: PartProps) {
  const { save, ...state } = useSaving();
  const owner = typeof bot_owner_id === "number" ? [toChip(findPerson(bot_owner_id))] : [];
  return (
    <ChipsField
      {...state}
      label={t("bots.owner")}
      hint={t("bots.ownerHint")}
      disabled={lock !== undefined}
      chips={owner}
      suggest={(query) => suggestPeople(query).filter(({ key }) => !findPerson(Number(key)).is_bot)}
      onChange={(chips) => {
        const next = idsOf(chips).at(-1);
        if (next !== undefined && next !== bot_owner_id)
          void save(() => call(updateBot, { bot_id: user_id, bot_owner_id: next }));
      }}
    />
  );
}

function BotRole({ bot, lock }: PartProps) {
  const { save, ...state } = useSaving();
  return (
    <SelectField
      {...state}
      label={t("members.role")}
      hint={t("bots.roleHint")}
      disabled={lock !== undefined}
      value={String(roleOf(bot.role))}
      options={rolesFor(bot).map((role) => ({ value: String(role), label: t(`role.one.${role}`) }))}
      onChange={(event) => {
        const role = Number(event.currentTarget.value) as Role; // one of the options
        event.currentTarget.value = String(roleOf(bot.role));
        void save(() => call(updateBot, { bot_id: bot.user_id, role }));
      }}
    />
  );
}
