/** The third-party services an organization can choose from. */

export const videoChatProviders = {
  disabled: { id: 0, name: "None" },
  jitsi_meet: { id: 1, name: "Jitsi Meet" },
};

/** The content ratings of Giphy, from strict to loose. */
export const giphyRatings = {
  disabled: { id: 0, name: "GIF integration disabled" },
  y: { id: 1, name: "Y: very young audiences" },
  g: { id: 2, name: "G: general audiences" },
  pg: { id: 3, name: "PG: parental guidance suggested" },
  "pg-13": { id: 4, name: "PG-13: not suitable for children under 13" },
  r: { id: 5, name: "R: adults only" },
};

export const hasId = (choices: Record<string, { id: number }>, id: number): boolean =>
  Object.values(choices).some((choice) => choice.id === id);
