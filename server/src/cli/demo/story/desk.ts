/** What the owner was about to do. */
type Draft = ({ channel: string; topic: string } | { people: string[] }) & { text: string };

const drafts: Draft[] = [
  {
    channel: "leadership",
    topic: "Where we want to be in a year",
    text: "I slept over it. Number three becomes: we say no to the marketplace, and we say **why**.",
  },
  { people: ["lucia"], text: "Do you think the purple beans would grow on a balcony that faces" },
  { channel: "design", topic: "Onboarding illustrations", text: "About the watering can:" },
];

export const desk = {
  drafts,
  scheduled: {
    channel: "general",
    topic: "Questions for the all-hands",
    text: "Thank you for all the questions. The recording and the slides are up, and Gerald is fine.",
    inDays: 1,
  },
  snippets: [
    {
      title: "Second breakfast",
      content: "Would you like to have a *second breakfast* call this week? No agenda, tea.",
    },
  ],
  followed: [
    { channel: "releases", topic: "4.13: what goes in" },
    { channel: "design", topic: "Onboarding illustrations" },
    { channel: "engineering", topic: "Importer eats memory" },
  ],
  muted: [{ channel: "engineering", topic: "Builds of main" }],
};
