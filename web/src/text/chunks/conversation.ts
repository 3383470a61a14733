import english from "../../locales/en/conversation.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
