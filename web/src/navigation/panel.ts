/**
 * The content of the right panel. It is stored after a question mark at the end of the fragment, which no other part of an
 * address contains, so links without it keep their meaning.
 */
export type DetailsTab = "people" | "files" | "about";

export type Panel =
  | { kind: "details"; tab: DetailsTab }
  | { kind: "user"; userId: number }
  | { kind: "history"; messageId: number }
  | { kind: "receipts"; messageId: number };

const mark = "?panel=";
const tabs: readonly string[] = ["people", "files", "about"] satisfies DetailsTab[];

/** A fragment without its panel. */
export const withoutPanel = (fragment: string): string => fragment.split(mark, 1)[0] ?? "";

export function parsePanel(fragment: string): Panel | undefined {
  const [, text = ""] = fragment.split(mark);
  const [kind, what = ""] = text.split("/");
  if (kind === "details" && tabs.includes(what)) return { kind, tab: what as DetailsTab }; // checked above
  const id = /^\d{1,15}$/.test(what) ? Number(what) : undefined;
  if (id === undefined) return undefined;
  if (kind === "user") return { kind, userId: id };
  return kind === "history" || kind === "receipts" ? { kind, messageId: id } : undefined;
}

export function formatPanel(panel: Panel): string {
  const what = panel.kind === "details" ? panel.tab : panel.kind === "user" ? panel.userId : panel.messageId;
  return `${mark}${panel.kind}/${what}`;
}
