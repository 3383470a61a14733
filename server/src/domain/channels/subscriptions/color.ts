/** Each new subscription of a user takes the next color, starting over at the end. */
export const channelColors = [
  "#4c9f70",
  "#d1495b",
  "#3d7ea6",
  "#edae49",
  "#8e6bbf",
  "#2a9d8f",
  "#e76f51",
  "#5c80bc",
  "#b5838d",
  "#90a955",
  "#c77dff",
  "#f4a261",
  "#00798c",
  "#ef798a",
  "#6a994e",
  "#7d82b8",
  "#bc6c25",
  "#48bfe3",
  "#a44a3f",
  "#83c5be",
  "#d4a373",
  "#9b5de5",
  "#577590",
  "#f28482",
] as const;

/**
 * Accepts three to six hex digits in either case, but some clients read only six lowercase ones. With fewer than six, the
 * first three count, each doubled as in CSS.
 */
export function toColor(color: string): string {
  const digits = color.slice(1).toLowerCase();
  return `#${digits.length === 6 ? digits : digits.slice(0, 3).replaceAll(/./g, "$&$&")}`;
}
