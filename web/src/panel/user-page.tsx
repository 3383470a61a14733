/** A profile opened by its own link. */
import { PageHeader } from "../parts/page-header.tsx";
import { findPerson } from "../store/people.ts";
import { t } from "../text/t.ts";
import { Profile } from "./profile.tsx";
import styles from "./profile.module.css";

export default function UserPage({ userId }: { userId: number }) {
  return (
    <>
      <PageHeader title={<h1 dir="auto">{findPerson(userId).full_name || t("person.unknown")}</h1>} />
      <div class={styles.page}>
        <Profile key={userId} userId={userId} />
      </div>
    </>
  );
}
