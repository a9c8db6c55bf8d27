/**
 * Where entries are kept: one object store of IndexedDB.
 *
 * @module
 */

import type { Entry } from "./entry.js";

const STORE = "requests";

/** Entries in a database. */
export interface Store {
  /** All, in the order of their numbers. */
  all(): Promise<Entry[]>;
  /** Keeps one, unless there are `capacity` already; `undefined` then. */
  add(entry: Omit<Entry, "id">, capacity: number): Promise<number | undefined>;
  /** Keeps one anew, unless it was removed meanwhile. */
  replace(entry: Entry): Promise<void>;
  remove(id: number): Promise<void>;
  /** Forgets all. */
  clear(): Promise<void>;
  close(): void;
}

/** Opens the database of this name, or makes it. */
export async function openStore(name: string): Promise<Store> {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE, { keyPath: "id", autoIncrement: true });
  const database = await done(opening);
  // Another tab may have a newer version, or the user may clear what is stored.
  database.onversionchange = () => database.close();
  const begin = (mode: IDBTransactionMode): [IDBObjectStore, Promise<void>] => {
    const transaction = database.transaction(STORE, mode, { durability: "strict" });
    return [transaction.objectStore(STORE), committed(transaction)];
  };
  const write = async (change: (store: IDBObjectStore) => void): Promise<void> => {
    const [store, kept] = begin("readwrite");
    change(store);
    await kept;
  };
  return {
    all: () => done(begin("readonly")[0].getAll() as IDBRequest<Entry[]>),
    async add(entry, capacity) {
      const [store, kept] = begin("readwrite");
      let id: number | undefined;
      const counting = store.count();
      counting.onsuccess = () => {
        if (counting.result >= capacity) return;
        const adding = store.add(entry);
        adding.onsuccess = () => (id = adding.result as number);
      };
      await kept;
      return id;
    },
    replace: (entry) =>
      write((store) => {
        const finding = store.count(entry.id);
        finding.onsuccess = () => void (finding.result && store.put(entry));
      }),
    remove: (id) => write((store) => store.delete(id)),
    clear: () => write((store) => store.clear()),
    close: () => database.close(),
  };
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** A change is kept when its transaction is, not when its request succeeded. */
function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onerror = transaction.onabort = () => reject(transaction.error);
  });
}
