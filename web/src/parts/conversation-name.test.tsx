import { cleanup, render } from "@testing-library/preact";
import { afterEach, expect, test } from "vitest";
import { TopicName } from "./conversation-name.tsx";

afterEach(cleanup);

test("what a search found in a topic's name is marked, and its text is text", () => {
  const match = '✔ a &lt;b&gt; <span class="highlight">teal</span> logo';
  const { container } = render(<TopicName topic="✔ a <b> teal logo" match={match} />);

  expect(container.querySelector("mark")?.textContent).toBe("teal");
  expect(container.textContent).toBe("Resolved:a <b> teal logo");
});
