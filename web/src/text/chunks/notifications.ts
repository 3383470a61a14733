import english from "../../locales/en/notifications.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
