import english from "../../locales/en/inbox.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
