// A substitute for WebSerial, because headless Chromium cannot use the port of a simulated board. The substitute is a
// port with the same interface, and the server of the tests (server.py) passes the port's bytes to a simulated board.
// The substitute is loaded before the page and before the worker. The time of the board advances with the clock of the
// worker (clock.js).

const LOST = ["The device has been lost.", "NetworkError"];

/**
 * @param {string} action
 * @param {Blob} [body]
 */
async function post(action, body) {
  const answer = await fetch(`/serial/${action}`, { method: "POST", body });
  if (!answer.ok) throw new DOMException(...LOST);
  return new Uint8Array(await answer.arrayBuffer());
}

class Port {
  getInfo() {
    return { usbVendorId: 0x2341, usbProductId: 0x0043 };
  }

  async open() {
    if (this.isOpen) throw new DOMException("The port is already open.", "InvalidStateError");
    this.isOpen = true;
    await post("open");
    this.readable = new ReadableStream({
      start: (controller) => {
        this.arriving = controller;
      },
      cancel: () => {
        this.arriving = null;
      },
    });
    /** The bytes to send in the next step, with the functions to call afterwards. */
    this.written = [];
    this.writable = new WritableStream({
      write: (bytes) => new Promise((resolve, reject) => {
        this.written.push({ bytes, resolve, reject });
      }),
    });
    this.step = (duration) => this.advance(duration);
    self.steps.push(this.step);
  }

  /**
   * Advances the board, which first receives the written bytes.
   * @param {number} duration
   */
  async advance(duration) {
    const sent = this.written.splice(0);
    try {
      const bytes = await post(`run?us=${duration}`, new Blob(sent.map(({ bytes }) => bytes)));
      if (bytes.length > 0) this.arriving?.enqueue(bytes);
      for (const { resolve } of sent) resolve();
    } catch {
      this.end();
      for (const { reject } of sent) reject(new DOMException(...LOST));
      this.readable = null;
      this.arriving?.error(new DOMException(...LOST));
    }
  }

  end() {
    self.steps.splice(self.steps.indexOf(this.step), 1);
  }

  async setSignals() {}

  async close() {
    if (self.steps.includes(this.step)) this.end();
    this.isOpen = false;
    await post("close");
  }
}

const port = new Port();
Object.defineProperty(navigator, "serial", { value: { requestPort: async () => port, getPorts: async () => [port] } });
