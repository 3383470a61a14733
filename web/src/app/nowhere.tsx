/** No such place, and no access to one, look the same. */
import { t } from "../text/t.ts";
import { Empty } from "./empty.tsx";
import { PageHeader } from "./page-header.tsx";
import { addressOf } from "./router.ts";

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
