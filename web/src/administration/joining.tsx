/** Who can join, and what holds for new people. */
import type { SectionViewProps } from "../controls/settings-page.tsx";
import { SettingGroups } from "../controls/settings-section.tsx";
import { Domains } from "./domains.tsx";

export default function Joining({ section: { groups } }: SectionViewProps) {
  return (
    <>
      <SettingGroups groups={groups.slice(0, 1)} />
      <Domains />
      <SettingGroups groups={groups.slice(1)} />
    </>
  );
}
