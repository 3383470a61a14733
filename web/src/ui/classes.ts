/** The names that are there, as a class attribute. */
export const classes = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(" ");
