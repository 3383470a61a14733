import { signal } from "@preact/signals";
import { cleanup, render, screen, waitFor } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { Listing, sortText } from "../store/listing.ts";
import { Table } from "./table.tsx";

afterEach(cleanup);

interface Row {
  id: number;
  name: string;
  role: number;
}

const listingOf = (rows: readonly Row[]) => {
  const items = signal(rows);
  const listing = new Listing<Row>({
    items,
    keyOf: ({ id }) => id,
    textOf: ({ name }) => name,
    sorts: { name: ({ name }) => sortText(name), role: ({ role }) => role },
  });
  return { items, listing };
};

const few: Row[] = [
  { id: 1, name: "Cy", role: 2 },
  { id: 2, name: "Ada", role: 3 },
  { id: 3, name: "Bo", role: 1 },
];

let lastTable = 0;

function show(listing: Listing<Row>, onOpen = vi.fn<(row: Row) => void>()) {
  const acted = vi.fn<(rows: readonly Row[]) => void>();
  render(
    <Table
      id={`test ${++lastTable}`}
      label="People"
      listing={listing}
      columns={[
        { id: "name", label: "Name", width: "1fr", render: ({ name }) => name },
        { id: "role", label: "Role", width: "1fr", render: ({ role }) => `role ${role}` },
      ]}
      sortedBy="name"
      nameOf={({ name }) => name}
      filterLabel="Find"
      countOf={(count) => `${count} people`}
      onOpen={onOpen}
      actionsOf={() => [{ label: "Remove", onSelect: () => undefined }]}
      bulkActions={(rows) => (
        <button type="button" onClick={() => acted(rows)}>
          Act
        </button>
      )}
      empty={<p>Nobody</p>}
    />,
  );
  return { onOpen, acted };
}

const shownNames = (): (string | null)[] =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => row.querySelectorAll("[role=gridcell]")[1]?.textContent ?? null);

test("a header sorts by its column, and says so", async () => {
  show(listingOf(few).listing);
  expect(shownNames()).toEqual(["Ada", "Bo", "Cy"]);

  await userEvent.click(screen.getByRole("button", { name: "Role" }));

  expect(shownNames()).toEqual(["Bo", "Cy", "Ada"]);
  expect(screen.getByRole("columnheader", { name: "Role" }).getAttribute("aria-sort")).toBe("ascending");
  expect(screen.getByRole("columnheader", { name: "Name" }).getAttribute("aria-sort")).toBe("none");
  await userEvent.click(screen.getByRole("button", { name: "Role" }));
  expect(shownNames()).toEqual(["Ada", "Cy", "Bo"]);
});

test("arrows move between rows, Space selects and Enter opens", async () => {
  const { onOpen, acted } = show(listingOf(few).listing);

  await userEvent.type(screen.getByRole("searchbox", { name: "Find" }), "{Enter}");
  expect(document.activeElement?.textContent).toContain("Ada");
  await userEvent.keyboard("{ArrowDown} {End} {Home}{ArrowUp}{Enter}");

  expect(onOpen).toHaveBeenCalledExactlyOnceWith(few[1]);
  expect(screen.getByText("2 selected")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Act" }));
  expect(acted.mock.calls[0]?.[0].map(({ name }) => name)).toEqual(["Cy", "Bo"]);
});

test("right and left move between a row's controls; the grid is one stop for Tab", async () => {
  show(listingOf(few).listing);
  const stops = () => screen.getAllByRole("row").filter((row) => row.tabIndex === 0);
  expect(stops()).toHaveLength(1);

  await userEvent.type(screen.getByRole("searchbox", { name: "Find" }), "{Enter}");
  await userEvent.keyboard("{ArrowRight}");
  expect(document.activeElement).toBe(screen.getByRole("checkbox", { name: "Select Ada" }));
  await userEvent.keyboard("{ArrowRight}");
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Actions on Ada" }));
  await userEvent.keyboard("{ArrowLeft}{ArrowLeft}");

  expect(document.activeElement).toBe(stops()[0]);
});

test("the focused row keeps the focus when others come and go", async () => {
  const { items, listing } = listingOf(few);
  show(listing);
  await userEvent.type(screen.getByRole("searchbox", { name: "Find" }), "{Enter}");
  await userEvent.keyboard("{ArrowDown}");

  items.value = [
    ...few.filter(({ name }) => name !== "Ada"),
    { id: 4, name: "Aaron", role: 1 },
    { id: 5, name: "Abe", role: 1 },
  ];
  await waitFor(() => expect(shownNames()).toEqual(["Aaron", "Abe", "Bo", "Cy"]));

  expect(document.activeElement?.textContent).toContain("Bo");
  await userEvent.keyboard("{ArrowDown}");
  expect(document.activeElement?.textContent).toContain("Cy");
});

test("selecting all selects what the filter shows", async () => {
  const { acted } = show(listingOf(few).listing);

  await userEvent.type(screen.getByRole("searchbox", { name: "Find" }), "b");
  await userEvent.click(screen.getByRole("checkbox", { name: "Select all" }));
  await userEvent.click(screen.getByRole("button", { name: "Act" }));

  expect(acted.mock.calls[0]?.[0].map(({ name }) => name)).toEqual(["Bo"]);
});

test("nothing at all and nothing found are different", async () => {
  const { items, listing } = listingOf(few);
  show(listing);

  await userEvent.type(screen.getByRole("searchbox", { name: "Find" }), "zzz");
  expect(screen.getByText("Nothing matches.")).toBeTruthy();
  items.value = [];

  await screen.findByText("Nobody");
});

test("of 100,000 rows only those near the view exist, and the last one is a key away", async () => {
  const many = Array.from({ length: 100_000 }, (_, index): Row => ({
    id: index,
    name: `Person ${100_000 + index}`,
    role: 1,
  }));
  show(listingOf(many).listing);
  expect(screen.getAllByRole("row").length).toBeLessThan(80);

  await userEvent.type(screen.getByRole("searchbox", { name: "Find" }), "{Enter}");
  await userEvent.keyboard("{End}");

  expect(document.activeElement?.textContent).toContain("Person 199999");
  expect(document.activeElement?.getAttribute("aria-rowindex")).toBe("100001");
});
