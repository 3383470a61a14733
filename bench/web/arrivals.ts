/** Events about what is not on screen: they cost little work, and leave little behind. */
import { fetchApi } from "./colleagues.ts";
import { inRounds, type Figure } from "./figure.ts";
import { open, type Conversation } from "./input.ts";
import type { Organization, Topic } from "./organization.ts";
import { heapSize, workOf, type Window } from "./window.ts";
import { messageText } from "../request.ts";

export interface Arrivals {
  /** How many messages arrive. */
  count: number;
  /** Where they do, while another conversation is open. */
  elsewhere: Topic;
  shown: Conversation;
  rounds: number;
}

/** What 20,000 messages that nobody looks at may leave in memory: their ids, while they are unread. */
const maxHeapGrowth = 4;
/** The budget of everything that changes on screen, and of one frame. */
const maxShownWork = 50;
const maxOtherWork = 16;
/** In bytes; the keep-alive of a stream is shorter. */
const smallestEvent = 100;

export async function measureArrivals(
  window: Window,
  organization: Organization,
  { count, elsewhere, shown, rounds }: Arrivals,
): Promise<Figure[]> {
  await open(window, shown);
  const before = await heapSize(window);
  await send(organization, elsewhere, count);
  await untilArrived(window, organization, shown);
  const growth = (await heapSize(window)) - before;
  const renames = await renamed(window, organization, rounds);
  return [
    {
      key: "arrivals-heap",
      what: `Heap added by ${count.toLocaleString("en")} messages outside any open list`,
      unit: "MB",
      budget: maxHeapGrowth,
      rounds: [growth],
    },
    {
      key: "rename-shown",
      what: "A person with messages on screen is renamed, work",
      unit: "ms",
      budget: maxShownWork,
      rounds: renames.map(({ shownWork }) => shownWork),
    },
    {
      key: "rename-rows",
      what: "Rows changed by it that do not show the person",
      unit: "rows",
      budget: 0,
      rounds: renames.map(({ otherRows }) => otherRows),
    },
    {
      key: "rename-other",
      what: "A person who is shown nowhere is renamed, work",
      unit: "ms",
      budget: maxOtherWork,
      rounds: renames.map(({ otherWork }) => otherWork),
    },
  ];
}

async function send({ site, colleagues }: Organization, { channel, name }: Topic, count: number): Promise<void> {
  const senders = colleagues.slice(0, 8);
  let left = count;
  await Promise.all(
    senders.map(async (sender) => {
      while (left-- > 0)
        await fetchApi(site, sender, "POST", "/messages", {
          type: "channel",
          to: String(channel),
          topic: name,
          content: messageText,
        });
    }),
  );
}

/** Events arrive in order, so once a last message is on screen all earlier ones have been applied. */
async function untilArrived({ page }: Window, { site, colleagues }: Organization, shown: Conversation): Promise<void> {
  const [channel, topic] = placeOf(shown);
  const content = `all have arrived ${Date.now()}`;
  const [sender] = colleagues;
  if (!sender) throw new Error("the reader has no colleagues");
  await fetchApi(site, sender, "POST", "/messages", { type: "channel", to: channel, topic, content });
  await page.locator("[role=feed] article", { hasText: content }).waitFor();
}

function placeOf({ address }: Conversation): [channel: string, topic: string] {
  const [, channel, topic] = /channel\/(\d+)-[^/]*\/topic\/([^/]+)/.exec(address) ?? [];
  if (channel === undefined || topic === undefined) throw new Error(`${address} is not a topic`);
  return [channel, topic.replaceAll(".20", " ")];
}

interface Renamed {
  shownWork: number;
  otherRows: number;
  otherWork: number;
}

function renamed(window: Window, organization: Organization, rounds: number): Promise<Renamed[]> {
  const { page, cdp } = window;
  const { site, colleagues, bystander } = organization;
  const [sender] = colleagues;
  if (!sender) throw new Error("the reader has no colleagues");
  /** Returns when the event is there, with whatever response brings it. */
  const rename = async (account: typeof sender, name: string): Promise<void> => {
    await cdp.send("Network.enable");
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const onData = ({ dataLength }: { dataLength: number }): void => {
      if (dataLength >= smallestEvent) resolve();
    };
    cdp.on("Network.dataReceived", onData);
    await fetchApi(site, account, "PATCH", "/settings", { full_name: name });
    await arrived;
    cdp.off("Network.dataReceived", onData);
  };
  return inRounds(rounds, async (round) => {
    const name = `Renamed Colleague ${round}`;
    const changes = await page.evaluateHandle(watchRows);
    const shownWork = await workOf(window, () => rename(sender, name));
    const otherRows = await changes.evaluate((watch, shownName) => watch.rowsWithout(shownName), name);
    await changes.dispose();
    const otherWork = await workOf(window, () => rename(bystander, `Renamed Stranger ${round}`));
    return { shownWork, otherRows, otherWork };
  });
}

/** Runs in the page: which messages' rows change. */
function watchRows(): { rowsWithout: (name: string) => number } {
  const rows = new Set<Element>();
  const observer = new MutationObserver((records) => {
    for (const { target } of records) {
      const element = target instanceof Element ? target : target.parentElement;
      const row = element?.closest("article");
      if (row) rows.add(row);
    }
  });
  observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
  return {
    rowsWithout: (name) => {
      observer.disconnect();
      return [...rows].filter((row) => !row.textContent?.includes(name)).length;
    },
  };
}
