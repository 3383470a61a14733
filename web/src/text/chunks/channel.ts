import english from "../../locales/en/channel.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
