// The connection to the tool: messages as JSON, and edits that wait for the answer to the one before.

/**
 * Takes the key that opens the WebSocket out of the address. Other pages of this origin, and this one when
 * it is loaded again, find it where no other port of this computer can look.
 */
function takeKey() {
  const key = location.hash.slice(1);
  if (key !== "") {
    localStorage.setItem("key", key);
    history.replaceState(null, "", "/");
  }
  return key || localStorage.getItem("key") || "";
}

/** The ways in which the tool can be missing: nobody answers, or one does that has been started anew. */
export const GONE = "gone";
export const STRANGER = "stranger";

/** Sends messages to `bridge studio` and passes on what it says. While it is missing, nothing waits to be sent. */
export class Connection {
  /**
   * @param {(message: object) => void} onMessage receives each message of the tool.
   * @param {(loss: string|null) => void} onChange receives how the tool is missing, or null when it is there again.
   */
  constructor(onMessage, onChange) {
    this.onMessage = onMessage;
    this.onChange = onChange;
    this.revision = 0;
    this.outbox = [];
    this.isWaiting = false;
    this.loss = null;
    this.open();
  }

  /** Whether the tool is missing. */
  get isLost() {
    return this.loss !== null;
  }

  /** Whether everything that was sent has been answered. */
  get isIdle() {
    return !this.isWaiting && this.outbox.length === 0;
  }

  open() {
    // Another tab may have been opened with the key of a tool that was started anew.
    const path = `/live?key=${takeKey()}`;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    let wasOpen = false;
    this.socket = new WebSocket(`${scheme}://${location.host}${path}`);
    this.socket.addEventListener("open", () => { wasOpen = true; });
    this.socket.addEventListener("message", (event) => this.receive(JSON.parse(event.data)));
    this.socket.addEventListener("close", async () => {
      this.outbox = [];
      this.isWaiting = false;
      this.tell(wasOpen ? GONE : await lossAt(path));
      setTimeout(() => this.open(), 1000);
    });
  }

  /** Tells how the tool is missing, when that has changed. */
  tell(loss) {
    if (this.loss === loss) return;
    this.loss = loss;
    this.onChange(loss);
  }

  receive(message) {
    if (message.type === "hello") this.tell(null);
    if (message.type === "document") this.noteDocument(message);
    // The tool also says how the document is when it has been analysed; that is no answer to an edit.
    if (message.type === "ack" && message.revision > this.revision) {
      this.revision = message.revision;
      this.isWaiting = false;
    }
    if (message.type === "error") this.isWaiting = false;
    this.onMessage(message);
    this.pump();
  }

  /** Another text counts: what has not been sent was about the one before. */
  noteDocument(message) {
    // Without a document, only its name or whether it is saved is another one.
    if (!("document" in message)) return;
    this.revision = message.revision;
    this.isWaiting = false;
    this.outbox = [];
  }

  /** Sends a message at once, before any edit that waits. For what must not wait: play, stop, gain. */
  sendNow(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** Sends a message after the edits that were made before it. */
  send(message) {
    if (this.isLost) return;
    this.outbox.push(message);
    this.pump();
  }

  /**
   * Sends edits. Edits of one drag that have not left yet become one message, so a slow tool is not flooded.
   * @param {boolean} isLive whether the drag goes on.
   */
  sendEdits(edits, isLive) {
    if (this.isLost) return;
    const last = this.outbox.at(-1);
    if (last?.type === "edit" && last.live) {
      merge(last.edits, edits);
      last.live = isLive;
    } else {
      this.outbox.push({ type: "edit", edits: [...edits], live: isLive });
    }
    this.pump();
  }

  pump() {
    while (!this.isWaiting && this.outbox.length > 0 && this.socket.readyState === WebSocket.OPEN) {
      const message = this.outbox.shift();
      if (message.type === "edit") {
        message.revision = this.revision;
        this.isWaiting = true;
      }
      this.sendNow(message);
    }
  }
}

/** Asks why the tool has opened no WebSocket. */
async function lossAt(path) {
  try {
    return (await fetch(path)).status === 403 ? STRANGER : GONE;
  } catch {
    return GONE;
  }
}

/** Adds edits to others. A value that is set again replaces the one before, unless entries moved in between. */
function merge(edits, others) {
  for (const edit of others) {
    const path = JSON.stringify(edit.path);
    const moved = edits.findLastIndex((other) => other.op !== "set");
    const same = edits.findLastIndex((other, at) => at > moved && JSON.stringify(other.path) === path);
    if (edit.op === "set" && same >= 0) edits[same] = edit; else edits.push(edit);
  }
}
