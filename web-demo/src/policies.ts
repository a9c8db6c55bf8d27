/**
 * The ready-made policies, as the documents that they are.
 *
 * @module
 */

const documents = import.meta.glob<string>("../../policy-core/document/policies/*.toml", { query: "?raw", import: "default" });

const byName = new Map(Object.entries(documents).map(([path, load]) => [/([\w-]+)\.toml$/.exec(path)![1]!, load]));

/** Their names, in alphabetical order. */
export const READY: readonly string[] = [...byName.keys()].sort();

/** The document of one; `undefined` if there is none of that name. */
export async function ready(name: string): Promise<string | undefined> {
  return byName.get(name)?.();
}
