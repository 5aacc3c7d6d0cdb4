/** Runs before the first paint, so that a remembered theme never flashes. A classic script: modules run too late. */

import { rememberedTheme } from "./theme_setting.ts";

const theme = rememberedTheme();
if (theme !== undefined) document.documentElement.dataset.theme = theme;
