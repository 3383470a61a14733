/** Times written in messages, shown in the reader's time zone. */
import { fullTime, writtenTime } from "../text/time.ts";
import { iconElement } from "../ui/icon-element.ts";

export function localizeTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll("time[datetime]")) {
    const seconds = Date.parse(time.getAttribute("datetime") ?? "") / 1000;
    if (Number.isNaN(seconds)) continue;
    time.setAttribute("data-tip", fullTime(seconds));
    time.replaceChildren(iconElement("clock"), writtenTime(seconds));
  }
}
