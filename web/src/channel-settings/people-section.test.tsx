import { cleanup, fireEvent, render, screen, within } from "@testing-library/preact";
import type { RegisteredUser } from "@skein/api/users.ts";
import { afterEach, expect, test, vi } from "vitest";
import { channelSections } from "../descriptors/channel.ts";
import { applyEvents } from "../store/events.ts";
import { withSlimUsers } from "../store/people.ts";
import { replaceState } from "../store/state.ts";
import PeopleSection from "./people-section.tsx";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const nobody = 11;
const count = 10_000;
const user = (id: number): RegisteredUser =>
  ({
    user_id: id,
    full_name: `Person ${String(id).padStart(5, "0")}`,
    email: `${id}@x`,
    delivery_email: null,
    role: id === 1 ? 200 : 400,
  }) as RegisteredUser; // the fields in use

const section = channelSections.find(({ id }) => id === "subscribers");

test("of ten thousand subscribers only those in view are drawn, one is found by name, and events are followed", async () => {
  const users = Array.from({ length: count }, (_, index) => user(index + 1));
  replaceState({
    ...withSlimUsers({ user_id: 5, realm_users: users, cross_realm_bots: [], realm_non_active_users: [] }),
    realm_user_groups: [{ id: nobody, name: "role:nobody", members: [], direct_subgroup_ids: [] }] as never, // the fields in use
    realm_can_add_subscribers_group: nobody,
    subscriptions: [
      {
        stream_id: 7,
        name: "design",
        can_add_subscribers_group: nobody,
        can_administer_channel_group: nobody,
        can_remove_subscribers_group: nobody,
        can_subscribe_group: nobody,
      },
    ] as never, // the fields in use
  });
  const subscribers = users.map(({ user_id }) => user_id);
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ result: "success", msg: "", subscribers })));

  render(<>{section && <PeopleSection section={section} subjectId={7} />}</>);
  const list = await screen.findByRole("list", { name: "Subscribers" });
  const rows = () => within(list).getAllByRole("listitem");
  expect(rows().length).toBeLessThan(100);
  expect(rows()[0]?.textContent).toContain("Administrator");
  screen.getByText("10,000 subscribers");
  screen.getByText("You cannot add people to this channel. Permissions show who can.");
  expect(screen.queryByRole("combobox")).toBeNull();

  fireEvent.input(screen.getByRole("searchbox"), { target: { value: "person 09999" } });
  expect(rows().map((row) => row.getAttribute("aria-setsize"))).toEqual(["1"]);
  applyEvents([{ type: "subscription", op: "peer_remove", stream_ids: [7], user_ids: [9999] }]);
  await screen.findByText("9,999 subscribers");
  screen.getByText("No subscriber matches “person 09999”.");
});
