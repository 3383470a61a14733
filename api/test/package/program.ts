// Compiled by a project that uses the package: every call and event is typed, and a mistake does not compile.
import {
  applyEvent,
  createClient,
  followEvents,
  getMessages,
  register,
  sendMessage,
  type FollowedState,
} from "@skein/api";
import { sendMessage as declaration } from "@skein/api/declarations/messages";

const client = createClient({ site: "https://chat.example.com", email: "echo@example.com", apiKey: "k" });

export async function run(signal: AbortSignal): Promise<void> {
  let state: FollowedState | undefined;
  const events = followEvents(
    client,
    { event_types: ["message", "realm_user"] },
    {
      signal,
      onRegister: (registration) => {
        const { user_id } = registration;
        if (user_id !== undefined) state = { ...registration, user_id };
      },
    },
  );
  for await (const event of events) {
    if (state) state = applyEvent(state, event);
    if (event.type !== "message") continue;
    const content: string = event.message.content;
    const { id } = await client.call(sendMessage, { type: "direct", to: [event.message.sender_id], content });
    id.toFixed();
    // @ts-expect-error: no such type of event
    if (event.type === "massage") return;
  }
  const { messages } = await client.call(getMessages, { anchor: "newest", num_before: 10, num_after: 0 });
  for (const message of messages) message.topic_links.at(0)?.url.toUpperCase();
  // @ts-expect-error: the content is missing
  await client.call(sendMessage, { type: "direct", to: [7] });
  // @ts-expect-error: a list of names, not a name
  await client.call(register, { event_types: "message" });
  declaration.params.content.parse("text").toUpperCase();
}
