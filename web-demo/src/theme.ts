/**
 * Light or dark: as the system says, unless a person chose.
 *
 * @module
 */

const KEY = "refrain-theme";

/** Takes what was chosen at an earlier visit, and each choice of this one. */
export function followTheme(select: HTMLSelectElement): void {
  select.value = remembered();
  const apply = (): void => {
    document.documentElement.dataset["theme"] = select.value;
  };
  select.addEventListener("change", () => {
    apply();
    remember(select.value);
  });
  apply();
}

/** Storage may be forbidden: then a choice lasts as long as the page. */
function remembered(): string {
  try {
    return localStorage.getItem(KEY) ?? "";
  } catch {
    return "";
  }
}

function remember(theme: string): void {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // See above.
  }
}
