import type { Mount } from "../../panel.js";

export const mount: Mount = () => {};
