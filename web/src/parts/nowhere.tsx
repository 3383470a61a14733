/** A place that does not exist looks the same as one without access. */
import { t } from "../text/t.ts";
import { Empty } from "../ui/empty.tsx";
import { PageHeader } from "./page-header.tsx";
import { addressOf } from "../navigation/router.ts";

export const Nowhere = () => (
  <>
    <PageHeader title={<h1>{t("nowhere.title")}</h1>} />
    <Empty icon="search" title={t("nowhere.text")}>
      <p>
        <a href={addressOf({ kind: "inbox", tab: "unread" })}>{t("nowhere.home")}</a>
      </p>
    </Empty>
  </>
);
