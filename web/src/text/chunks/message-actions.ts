import english from "../../locales/en/message-actions.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
