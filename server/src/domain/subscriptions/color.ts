/** The colors channels are told apart by: each further subscription of a user takes the next, round and round. */
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
 * Taken are three to six hex digits in either case; there are clients that read six small ones alone. Of fewer than six
 * the first three count, each twice, as in style sheets.
 */
export function toColor(wanted: string): string {
  const digits = wanted.slice(1).toLowerCase();
  return `#${digits.length === 6 ? digits : digits.slice(0, 3).replaceAll(/./g, "$&$&")}`;
}
