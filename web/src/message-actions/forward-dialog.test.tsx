import { cleanup, fireEvent, render, screen } from "@testing-library/preact";
import type { RegisteredUser } from "@skein/api/users.ts";
import { afterEach, expect, test } from "vitest";
import type { Message } from "../store/messages.ts";
import { withSlimUsers } from "../store/people.ts";
import { replaceState } from "../store/state.ts";
import { ForwardDialog } from "./forward-dialog.tsx";

afterEach(cleanup);

const user = (id: number): RegisteredUser =>
  ({ user_id: id, full_name: `Person ${id}`, email: `${id}@x`, delivery_email: null }) as RegisteredUser; // the fields in use

test("everyone in a large organization can be forwarded to, those written to before first", () => {
  const users = Array.from({ length: 100_000 }, (_, index) => user(index + 1));
  replaceState({
    ...withSlimUsers({ user_id: 5, realm_users: users, cross_realm_bots: [], realm_non_active_users: [] }),
    recent_private_conversations: [{ user_ids: [99_998], max_message_id: 1 }],
  });

  render(<ForwardDialog message={{ id: 1 } as Message} onClose={() => undefined} />); // the field in use
  fireEvent.input(screen.getByRole("combobox"), { target: { value: "person" } });

  const found = screen.getAllByRole("option").map((option) => option.textContent);
  expect(found).toHaveLength(8);
  expect(found[0]).toContain("Person 99998");
});
