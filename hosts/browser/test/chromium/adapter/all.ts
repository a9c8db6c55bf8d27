/** Every scenario that runs in a browser. */

import { scenarios as loopback, type Scenario } from "../../loopback/scenarios.js";
import { placeOf, type Origins } from "./place.js";
import { scenarios as queue } from "./queue.js";

export const scenarios: Readonly<Record<string, Scenario>> = { ...loopback, ...queue };

/** Runs one, and says what went wrong. */
export async function run(name: string, origins: Origins): Promise<string | null> {
  try {
    await scenarios[name]!(placeOf(origins));
    return null;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}\n${error.stack}` : String(error);
  }
}
