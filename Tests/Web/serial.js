// A substitute for WebSerial, which Chromium does not offer for pseudo-terminals: a port with the same interface, whose
// bytes the server of the tests (server.py) passes to a simulated board. It is loaded before the page and before the
// worker.

/**
 * @param {string} action
 * @param {Uint8Array} [body]
 */
async function post(action, body) {
  const { ok } = await fetch(`/serial/${action}`, { method: "POST", body });
  if (!ok) throw new DOMException("The device has been lost.", "NetworkError");
}

class Port {
  getInfo() {
    return { usbVendorId: 0x2341, usbProductId: 0x0043 };
  }

  async open() {
    await post("open");
    const { body } = await fetch("/serial/bytes");
    const reader = body.getReader();
    this.readable = new ReadableStream({
      pull: async (controller) => {
        const { value, done } = await reader.read().catch(() => ({ done: true }));
        if (!done) {
          controller.enqueue(value);
          return;
        }
        this.readable = null;
        controller.error(new DOMException("The device has been lost.", "NetworkError"));
      },
      cancel: () => reader.cancel(),
    });
    this.writable = new WritableStream({ write: (bytes) => post("bytes", bytes) });
  }

  async setSignals() {}

  close() {
    return post("close");
  }
}

const port = new Port();
Object.defineProperty(navigator, "serial", { value: { requestPort: async () => port, getPorts: async () => [port] } });
