import english from "../../locales/en/sign-in.json" with { type: "json" };
import { provideTexts } from "../t.ts";

provideTexts(english);
