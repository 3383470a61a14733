/** Applies the reader's settings to the page: colors, text size, clock, language. */
import { effect } from "@preact/signals";
import { part } from "../store/state.ts";
import { setClock } from "../text/time.ts";

const schemes = { 1: "", 2: "dark", 3: "light" } as const;

export function applyAppearance(): void {
  effect(() => {
    const settings = part("user_settings").value;
    if (!settings) return;
    const { dataset, style } = document.documentElement;
    dataset["scheme"] = schemes[settings.color_scheme];
    dataset["contrast"] = settings.high_contrast_mode ? "more" : "";
    style.setProperty("--message-size", `${settings.web_font_size_px}px`);
    style.setProperty("--message-line", String(settings.web_line_height_percent / 100));
    style.setProperty("--message-width", settings.fluid_layout_width ? "none" : "75ch");
    setClock({ hour12: settings.twenty_four_hour_time ? false : undefined });
  });
}
