/** The third-party services an organization can choose from. */

export const videoChatProviders = {
  disabled: { id: 0, name: "None" },
  jitsi_meet: { id: 1, name: "Jitsi Meet" },
};

/** The content ratings of animated pictures, from strict to loose. */
export const gifRatings = {
  disabled: { id: 0, name: "GIF integration disabled" },
  g: { id: 1, name: "G: general audiences" },
  pg: { id: 2, name: "PG: parental guidance suggested" },
  "pg-13": { id: 3, name: "PG-13: not suitable for children under 13" },
  r: { id: 4, name: "R: adults only" },
};

/** The column still has the numbers of the previous release, with 1 for a stricter rating that there is no longer. */
export const gifRatingOf = (giphyRating: number): number => (giphyRating <= 1 ? giphyRating : giphyRating - 1);
export const toGiphyRating = (policy: number): number => (policy === 0 ? 0 : policy + 1);

export const hasId = (choices: Record<string, { id: number }>, id: number): boolean =>
  Object.values(choices).some((choice) => choice.id === id);
