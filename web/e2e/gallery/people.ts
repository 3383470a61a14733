import type { Chip } from "../../src/ui/chips.tsx";

export const people: Chip[] = ["Ada Lovelace", "Bo Larsen", "Grace Hopper", "Alan Turing", "Annie Easley"].map(
  (label, index) => ({
    key: String(index + 1),
    label,
    detail: `${label.split(" ")[0]?.toLowerCase()}@example.com`,
    avatar: index === 2 ? "/pictures/64x64.svg" : null,
  }),
);
