import english from "../../locales/en/channel-settings.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
