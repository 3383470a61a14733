/** No such place, and no access to one, look the same. */
import { t } from "../text/t.ts";
import styles from "./nowhere.module.css";
import { PageHeader } from "./page-header.tsx";
import { addressOf } from "./router.ts";

export const Nowhere = () => (
  <>
    <PageHeader title={<h1>{t("nowhere.title")}</h1>} />
    <div class={styles["nowhere"]}>
      <p>{t("nowhere.text")}</p>
      <a href={addressOf({ kind: "inbox", tab: "unread" })}>{t("nowhere.home")}</a>
    </div>
  </>
);
