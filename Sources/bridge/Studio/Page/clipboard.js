// Copying, cutting and pasting events as text, also from and to other programs.

/**
 * Lets the browser's own commands copy, cut and paste events.
 * @param host the page: `say` tells the user; `isLost` is whether nothing can be changed.
 */
export function followClipboard(editor, player, { say, isLost }) {
  for (const type of ["copy", "cut"]) {
    document.addEventListener(type, (event) => {
      if (event.target.matches?.("input") || editor.selection.size === 0) return;
      event.preventDefault();
      event.clipboardData.setData("text/plain", JSON.stringify(editor.copies(), null, 2));
      const words = editor.inWords();
      if (type === "cut") editor.remove();
      say(`${words}: ${type === "cut" ? "cut" : "copied"}.`);
    });
  }
  document.addEventListener("paste", (event) => {
    if (event.target.matches?.("input")) return;
    event.preventDefault();
    if (isLost()) return undefined;
    const entries = entriesOf(event.clipboardData.getData("text/plain"));
    if (entries.length === 0) return say("What was copied is not part of a pattern.");
    editor.paste(entries, player.playhead);
    return say(editor.inWords() ?? "");
  });
}

/** Returns the entries that a text has: a list of them, or a whole AHAP file. */
function entriesOf(text) {
  try {
    const value = JSON.parse(text);
    const entries = Array.isArray(value) ? value : value?.Pattern;
    return Array.isArray(entries) ? entries.filter((entry) => entry && typeof entry === "object") : [];
  } catch {
    return [];
  }
}
