/** The plan of an import: what becomes of people, channels and messages outside of threads. */
import "../../text/chunks/imports.ts";
import type { PlannedChannel, PlannedPerson, RealmImport, RefusedChange } from "@skein/api/imports.ts";
import { useEffect, useState } from "preact/hooks";
import { Table, ToolSelect, type Column } from "../../controls/table.tsx";
import { useAction } from "../../controls/use-action.ts";
import {
  changePlan,
  changeUnthreaded,
  fetchPlan,
  importPlan,
  plannedChannels,
  plannedPeople,
} from "../../store/imports.ts";
import { Listing, sortText } from "../../store/listing.ts";
import { formatNumber, t } from "../../text/t.ts";
import { Button } from "../../ui/button.tsx";
import { RadioField } from "../../ui/choices.tsx";
import { Failure } from "../../ui/failure.tsx";
import { FieldError } from "../../ui/field.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Tabs, tabPanel } from "../../ui/tabs.tsx";
import lists from "../lists.module.css";
import { ChannelDialog, PersonDialog } from "./plan-dialogs.tsx";
import styles from "./imports.module.css";

const peopleListing = new Listing<PlannedPerson>({
  items: plannedPeople,
  keyOf: ({ id }) => id,
  textOf: ({ name, email }) => `${name}\n${email ?? ""}`,
  addressOf: ({ email }) => email ?? "",
  sorts: {
    name: ({ name }) => sortText(name),
    email: ({ email }) => sortText(email ?? ""),
    account: ({ account }) => account,
  },
});

const channelListing = new Listing<PlannedChannel>({
  items: plannedChannels,
  keyOf: ({ id }) => id,
  textOf: ({ source_name, name }) => `${source_name}\n${name}`,
  sorts: {
    name: ({ source_name }) => sortText(source_name),
    privacy: ({ is_private }) => Number(is_private),
    members: ({ members }) => members,
    action: ({ action }) => action,
  },
});

const rules = ["month", "day", "single"] as const;

export function Plan({ one }: { one: RealmImport }) {
  const [failure, setFailure] = useState<unknown>();
  const [tab, setTab] = useState("people");
  const { error, run } = useAction();
  // Shown until its event arrives.
  const [chosenRule, setChosenRule] = useState<RealmImport["unthreaded"]>();
  useEffect(() => setChosenRule(undefined), [one.unthreaded]);
  const choose = async (rule: RealmImport["unthreaded"]): Promise<void> => {
    setChosenRule(rule);
    if (!(await run(() => changeUnthreaded(one.id, rule)))) setChosenRule(undefined);
  };
  const plan = importPlan.value?.importId === one.id ? importPlan.value : undefined;
  const load = (): void => {
    setFailure(undefined);
    fetchPlan(one.id, one.plan_revision).catch(setFailure);
  };
  // Another window may have changed it.
  const isCurrent = plan !== undefined && plan.revision >= one.plan_revision;
  useEffect(() => {
    if (!isCurrent) load();
  }, [one.id, one.plan_revision]);
  return (
    <section>
      <h3 class={styles.heading}>{t("imports.plan")}</h3>
      <RadioField
        label={t("imports.unthreaded")}
        value={chosenRule ?? one.unthreaded}
        error={error}
        options={rules.map((value) => ({ value, label: t(`imports.unthreaded.${value}`) }))}
        onChange={(chosen) => void choose(chosen as RealmImport["unthreaded"])} // one of the options
      />
      {failure !== undefined ? (
        <Failure error={failure} onRetry={load} />
      ) : plan ? (
        <>
          <Tabs
            id="import-plan"
            label={t("imports.plan")}
            selected={tab}
            onSelect={setTab}
            tabs={[
              { id: "people", label: t("imports.plan.people"), count: plannedPeople.value.length },
              { id: "channels", label: t("imports.plan.channels"), count: plannedChannels.value.length },
            ]}
          />
          <div {...tabPanel("import-plan", tab)} class={styles.table}>
            {tab === "people" ? <People importId={one.id} /> : <Channels importId={one.id} />}
          </div>
        </>
      ) : (
        <Skeleton rows={6} height={44} />
      )}
    </section>
  );
}

/** A change of many at once, and what the server refused of the last one. */
function useBulkChange() {
  const { isBusy, error, run } = useAction();
  const [refused, setRefused] = useState<readonly RefusedChange[]>([]);
  const change = async (save: () => Promise<readonly RefusedChange[]>): Promise<void> => {
    setRefused([]);
    await run(async () => setRefused(await save()));
  };
  return { isBusy, error, refused, change };
}

const maxListed = 20;

const Refused = ({ list }: { list: readonly RefusedChange[] }) =>
  list.length === 0 ? null : (
    <div role="alert" class={styles.refused}>
      <p>{t("imports.refused", { count: list.length })}</p>
      <ul class={styles.items}>
        {list.slice(0, maxListed).map(({ id, reason }) => (
          <li key={id}>{reason}</li>
        ))}
        {list.length > maxListed && <li>{t("imports.refused.more", { count: list.length - maxListed })}</li>}
      </ul>
    </div>
  );

const accounts = ["existing", "new", "inactive"] as const;
type Account = (typeof accounts)[number];

/** What each choice of the filter shows. */
const filterOf: Readonly<Record<Account, (person: PlannedPerson) => boolean>> = {
  existing: ({ account }) => account === "existing",
  new: ({ account }) => account === "new",
  inactive: ({ account }) => account === "inactive",
};

const peopleColumns = (): Column<PlannedPerson>[] => [
  { id: "name", label: t("imports.person.name"), width: "2fr", render: ({ name }) => name },
  { id: "email", label: t("imports.person.email"), width: "2fr", card: "line", render: ({ email }) => email ?? "–" },
  {
    id: "account",
    label: t("imports.person.account"),
    width: "10rem",
    render: ({ account }) => t(`imports.account.${account}`),
  },
];

function People({ importId }: { importId: number }) {
  const [opened, setOpened] = useState<PlannedPerson>();
  const [which, setWhich] = useState<Account | "all">("all");
  const { isBusy, error, refused, change } = useBulkChange();
  return (
    <>
      <Table
        id="import-people"
        label={t("imports.plan.people")}
        listing={peopleListing}
        columns={peopleColumns()}
        sortedBy="name"
        nameOf={({ name }) => name}
        filterLabel={t("imports.people.find")}
        countOf={(count) => t("imports.people.count", { count })}
        filters={
          <ToolSelect
            label={t("imports.people.which")}
            value={which}
            options={[
              { value: "all", label: t("imports.people.all") },
              ...accounts.map((value) => ({ value, label: t(`imports.account.${value}`) })),
            ]}
            onChange={(chosen) => setWhich(accounts.find((one) => one === chosen) ?? "all")}
          />
        }
        isShown={which === "all" ? undefined : filterOf[which]}
        onOpen={setOpened}
        actionsOf={(person) => [
          { label: t("imports.change"), icon: "pencil" as const, onSelect: () => setOpened(person) },
        ]}
        bulkActions={(selected, clear) =>
          (["new", "inactive"] as const).map((account) => (
            <Button
              key={account}
              kind="quiet"
              busy={isBusy}
              onClick={() =>
                void change(async () => {
                  const refusals = await changePlan(importId, { people: selected.map(({ id }) => ({ id, account })) });
                  clear();
                  return refusals;
                })
              }
            >
              {t(`imports.account.${account}`)}
            </Button>
          ))
        }
        empty={<p class={lists.note}>{t("imports.people.none")}</p>}
      />
      <FieldError id="import-people-error" error={error} />
      <Refused list={refused} />
      {opened && <PersonDialog importId={importId} person={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

const becomes = ({ action, name, source_name, into }: PlannedChannel): string => {
  if (action === "merge") return t("imports.action.merge.named", { name: into ?? "" });
  if (action === "skip") return t("imports.action.skip");
  return name === source_name ? t("imports.action.new") : t("imports.action.new.named", { name });
};

const channelColumns = (): Column<PlannedChannel>[] => [
  { id: "name", label: t("imports.channel.name"), width: "2fr", render: ({ source_name }) => source_name },
  {
    id: "privacy",
    label: t("imports.channel.privacy"),
    width: "6rem",
    render: ({ is_private }) => t(is_private ? "imports.channel.private" : "imports.channel.public"),
  },
  {
    id: "members",
    label: t("imports.channel.members"),
    width: "5rem",
    isLabelled: true,
    render: ({ members }) => formatNumber(members),
  },
  { id: "action", label: t("imports.channel.action"), width: "2fr", card: "line", render: becomes },
];

function Channels({ importId }: { importId: number }) {
  const [opened, setOpened] = useState<PlannedChannel>();
  const { isBusy, error, refused, change } = useBulkChange();
  return (
    <>
      <Table
        id="import-channels"
        label={t("imports.plan.channels")}
        listing={channelListing}
        columns={channelColumns()}
        sortedBy="name"
        nameOf={({ source_name }) => source_name}
        filterLabel={t("imports.channels.find")}
        countOf={(count) => t("imports.channels.count", { count })}
        onOpen={setOpened}
        actionsOf={(channel) => [
          { label: t("imports.change"), icon: "pencil" as const, onSelect: () => setOpened(channel) },
        ]}
        bulkActions={(selected, clear) =>
          (["new", "skip"] as const).map((action) => (
            <Button
              key={action}
              kind="quiet"
              busy={isBusy}
              onClick={() =>
                void change(async () => {
                  const refusals = await changePlan(importId, { channels: selected.map(({ id }) => ({ id, action })) });
                  clear();
                  return refusals;
                })
              }
            >
              {t(action === "new" ? "imports.action.new" : "imports.action.skip.choice")}
            </Button>
          ))
        }
        empty={<p class={lists.note}>{t("imports.channels.none")}</p>}
      />
      <FieldError id="import-channels-error" error={error} />
      <Refused list={refused} />
      {opened && <ChannelDialog importId={importId} channel={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}
