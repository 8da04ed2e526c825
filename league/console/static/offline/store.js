// Stores unsent entries on the device. Each change is one transaction over all entries, so tabs do not disturb each other.

const NAME = "league-unsent";
const ENTRIES = "entries";

let opened = null;

function open() {
  opened ??= new Promise((resolve, reject) => {
    const asked = indexedDB.open(NAME, 1);
    asked.onupgradeneeded = () => asked.result.createObjectStore(ENTRIES, { keyPath: "key" });
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
  return opened;
}

/** All entries, in no order. */
export async function all() {
  const entries = (await open()).transaction(ENTRIES).objectStore(ENTRIES).getAll();
  return new Promise((resolve, reject) => {
    entries.onsuccess = () => resolve(entries.result);
    entries.onerror = () => reject(entries.error);
  });
}

/** Passes all entries to `decide`, and applies what it returns: `{ put, remove }`, or null for no change. Answers that. */
export async function change(decide) {
  const transaction = (await open()).transaction(ENTRIES, "readwrite", { durability: "strict" });
  const entries = transaction.objectStore(ENTRIES);
  const asked = entries.getAll();
  let decided = null;
  return new Promise((resolve, reject) => {
    asked.onsuccess = () => {
      decided = decide(asked.result);
      for (const key of decided?.remove ?? []) entries.delete(key);
      for (const entry of decided?.put ?? []) entries.put(entry);
    };
    transaction.oncomplete = () => resolve(decided);
    transaction.onabort = () => reject(transaction.error);
  });
}
