// The parts of WebSerial that the worker uses. TypeScript's own declarations do not contain WebSerial.

interface SerialPortInfo { usbVendorId?: number; usbProductId?: number }

interface SerialPort {
  readonly readable: ReadableStream<Uint8Array> | null;
  readonly writable: WritableStream<Uint8Array> | null;
  open(options: { baudRate: number; bufferSize?: number }): Promise<void>;
  setSignals(signals: { dataTerminalReady?: boolean; requestToSend?: boolean }): Promise<void>;
  getInfo(): SerialPortInfo;
  close(): Promise<void>;
}

interface Serial {
  getPorts(): Promise<SerialPort[]>;
  requestPort(): Promise<SerialPort>;
}

interface Navigator { readonly serial: Serial }

interface Navigator {
  readonly userActivation: { readonly hasBeenActive: boolean };
}

/** The decompression of the Compression Streams API, which TypeScript 4 does not declare. */
declare class DecompressionStream {
  constructor(format: "deflate-raw");
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}
