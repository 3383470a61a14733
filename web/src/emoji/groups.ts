/** Emoji by subject. Unicode's code points are not ordered by subject, but neighbors are often related; these are the ranges. */
import "../text/chunks/emoji.ts";
import type { TextKey } from "../text/t.ts";
import type { Emoji } from "../text/emoji.ts";

export type Group =
  | "own"
  | "smileys"
  | "people"
  | "nature"
  | "food"
  | "activities"
  | "places"
  | "objects"
  | "symbols"
  | "flags";

export const groupNames: Record<Group, TextKey> = {
  own: "emoji.own",
  smileys: "emoji.smileys",
  people: "emoji.people",
  nature: "emoji.nature",
  food: "emoji.food",
  activities: "emoji.activities",
  places: "emoji.places",
  objects: "emoji.objects",
  symbols: "emoji.symbols",
  flags: "emoji.flags",
};

/** First and last code point of each range; the first range that contains a code decides. */
const stretches: readonly [first: number, last: number, group: Group][] = [
  [0x1_f1_e6, 0x1_f1_ff, "flags"],
  [0x1_f3_f3, 0x1_f3_f4, "flags"],
  [0x1_f6_a9, 0x1_f6_a9, "flags"],
  [0x1_f3_8c, 0x1_f3_8c, "flags"],
  [0x1_f6_00, 0x1_f6_44, "smileys"],
  [0x1_f6_48, 0x1_f6_4a, "smileys"],
  [0x1_f9_10, 0x1_f9_17, "smileys"],
  [0x1_f9_20, 0x1_f9_25, "smileys"],
  [0x1_f9_27, 0x1_f9_2f, "smileys"],
  [0x1_f9_70, 0x1_f9_76, "smileys"],
  [0x1_f9_79, 0x1_f9_7a, "smileys"],
  [0x1_f9_d0, 0x1_f9_d0, "smileys"],
  [0x1_fa_e0, 0x1_fa_ef, "smileys"],
  [0x26_39, 0x26_3a, "smileys"],
  [0x1_f4_7b, 0x1_f4_7f, "smileys"],
  [0x1_f4_80, 0x1_f4_80, "smileys"],
  [0x1_f4_a9, 0x1_f4_a9, "smileys"],
  [0x1_f4_95, 0x1_f4_9f, "symbols"],
  [0x1_f4_42, 0x1_f4_83, "people"],
  [0x1_f4_85, 0x1_f4_87, "people"],
  [0x1_f4_8f, 0x1_f4_91, "people"],
  [0x1_f4_aa, 0x1_f4_aa, "people"],
  [0x1_f5_74, 0x1_f5_7a, "people"],
  [0x1_f5_90, 0x1_f5_96, "people"],
  [0x1_f6_45, 0x1_f6_4f, "people"],
  [0x1_f9_0c, 0x1_f9_1f, "people"],
  [0x1_f9_26, 0x1_f9_39, "people"],
  [0x1_f9_b5, 0x1_f9_bf, "people"],
  [0x1_f9_cd, 0x1_f9_df, "people"],
  [0x1_fa_c2, 0x1_fa_cf, "people"],
  [0x1_fa_f0, 0x1_fa_ff, "people"],
  [0x26_1d, 0x26_1d, "people"],
  [0x27_0a, 0x27_0d, "people"],
  [0x1_f4_00, 0x1_f4_41, "nature"],
  [0x1_f3_30, 0x1_f3_44, "nature"],
  [0x1_f3_f5, 0x1_f3_f5, "nature"],
  [0x1_f4_90, 0x1_f4_90, "nature"],
  [0x1_f9_80, 0x1_f9_ae, "nature"],
  [0x1_fa_b0, 0x1_fa_bf, "nature"],
  [0x1_f3_00, 0x1_f3_2c, "nature"],
  [0x1_f5_4a, 0x1_f5_4a, "nature"],
  [0x1_f5_77, 0x1_f5_78, "nature"],
  [0x26_00, 0x26_04, "nature"],
  [0x26_14, 0x26_14, "nature"],
  [0x26_18, 0x26_18, "nature"],
  [0x26_c4, 0x26_c8, "nature"],
  [0x1_f3_2d, 0x1_f3_7f, "food"],
  [0x1_f9_40, 0x1_f9_44, "food"],
  [0x1_f9_50, 0x1_f9_6f, "food"],
  [0x1_f9_c0, 0x1_f9_cc, "food"],
  [0x1_fa_d0, 0x1_fa_df, "food"],
  [0x26_15, 0x26_15, "food"],
  [0x1_f3_80, 0x1_f3_9f, "activities"],
  [0x1_f3_a0, 0x1_f3_d3, "activities"],
  [0x1_f3_f8, 0x1_f3_fa, "activities"],
  [0x1_f9_38, 0x1_f9_4f, "activities"],
  [0x26_bd, 0x26_be, "activities"],
  [0x26_f3, 0x26_f9, "activities"],
  [0x1_f3_d4, 0x1_f3_f0, "places"],
  [0x1_f6_80, 0x1_f6_ff, "places"],
  [0x1_f5_fa, 0x1_f5_ff, "places"],
  [0x26_e9, 0x26_f2, "places"],
  [0x26_fa, 0x26_fd, "places"],
  [0x27_08, 0x27_08, "places"],
  [0x1_f1_70, 0x1_f2_51, "symbols"],
  [0x1_f5_00, 0x1_f5_67, "symbols"],
  [0x00_23, 0x23_2a, "symbols"],
  [0x23_cf, 0x25_fe, "symbols"],
  [0x26_05, 0x27_bf, "symbols"],
  [0x29_34, 0x32_99, "symbols"],
];

interface Place {
  group: Group;
  stretch: number;
  code: number;
}

function placeOf({ emoji_code, reaction_type }: Emoji): Place {
  if (reaction_type !== "unicode_emoji") return { group: "own", stretch: 0, code: 0 };
  const code = Number.parseInt(emoji_code, 16);
  const stretch = stretches.findIndex(([first, last]) => code >= first && code <= last);
  return { group: stretches[stretch]?.[2] ?? "objects", stretch, code };
}

/** Each group in the order of its ranges, so that the best known come first. */
export function groupEmoji(all: readonly Emoji[]): Map<Group, Emoji[]> {
  const placed = all
    .map((emoji) => ({ emoji, place: placeOf(emoji) }))
    .toSorted((one, other) => one.place.stretch - other.place.stretch || one.place.code - other.place.code);
  const groups = new Map<Group, Emoji[]>();
  for (const { emoji, place } of placed) {
    const group = groups.get(place.group);
    if (group === undefined) groups.set(place.group, [emoji]);
    else group.push(emoji);
  }
  return groups;
}
