/** What the organization can choose of outside services. */

export const videoChatProviders = {
  disabled: { id: 0, name: "None" },
  jitsi_meet: { id: 1, name: "Jitsi Meet" },
};

/** The ratings of the picture service, from strict to loose. */
export const giphyRatings = {
  disabled: { id: 0, name: "No animated pictures" },
  y: { id: 1, name: "Y: for the very young" },
  g: { id: 2, name: "G: for everybody" },
  pg: { id: 3, name: "PG: with parental guidance" },
  "pg-13": { id: 4, name: "PG-13: not for children" },
  r: { id: 5, name: "R: for adults" },
};

export const hasId = (choices: Record<string, { id: number }>, id: number): boolean =>
  Object.values(choices).some((choice) => choice.id === id);
