// The messages in a stream of bytes, without I/O: their lengths, and the proofs and codes of a key.
import { createHmac, timingSafeEqual } from "node:crypto"
import { Session, checkLength, decode, encode } from "./session.js"

const CODE_LENGTH = 32
const GREETING = "haptic-bridge 1 "

const hmac = (key, ...parts) => parts.reduce((code, part) => code.update(part), createHmac("sha256", key)).digest()

/** Divides a stream of bytes into messages. */
export class Framing {
  #received = Buffer.alloc(0)
  #keys
  #counts = [0n, 0n]

  /** Protects all later messages with authentication codes. */
  seal(sending, receiving) {
    this.#keys = [sending, receiving]
  }

  #code(message, direction) {
    const number = Buffer.alloc(8)
    number.writeBigUInt64BE(this.#counts[direction]++)
    return hmac(this.#keys[direction], number, message)
  }

  encode(message) {
    const body = Buffer.from(encode(message))
    checkLength(body.length)
    const data = Buffer.concat([Buffer.alloc(4), body])
    data.writeUInt32BE(body.length)
    return this.#keys ? Buffer.concat([data, this.#code(data, 0)]) : data
  }

  /** Returns the messages that are complete, one at a time. */
  * receive(data) {
    this.#received = Buffer.concat([this.#received, data])
    while (this.#received.length >= 4) {
      const end = 4 + this.#received.readUInt32BE()
      checkLength(end - 4)
      const whole = end + (this.#keys ? CODE_LENGTH : 0)
      if (this.#received.length < whole) return
      const [framed, code] = [this.#received.subarray(0, end), this.#received.subarray(end, whole)]
      this.#received = this.#received.subarray(whole)
      if (this.#keys && !timingSafeEqual(code, this.#code(framed, 1))) {
        throw new RangeError("the authentication code of the message does not match the key")
      }
      yield decode(new TextDecoder("utf-8", { fatal: true }).decode(framed.subarray(4)))
    }
  }
}

/** The wire of a session over a stream. If there is a key, the stream begins with the proofs of both sides. */
export class StreamWire {
  outgoing = []
  #framing = new Framing()
  #proof
  #line = Buffer.alloc(0)
  // The messages that wait until the proofs are complete.
  #held = []

  /** A key means that the server is on another computer. `number` consists of 32 random bytes. */
  constructor(key, number) {
    if (key) this.#proof = { key, number, server: undefined }
  }

  /** True if messages can be sent, because the proofs are complete. */
  get isOpen() {
    return this.#proof === undefined
  }

  send(message) {
    if (this.#proof) this.#held.push(message)
    else this.outgoing.push(this.#framing.encode(message))
  }

  receive(data) {
    return this.#framing.receive(this.#opened(data))
  }

  // ---- The proofs of the key ----

  #code(purpose) {
    return hmac(this.#proof.key, purpose, this.#proof.server, this.#proof.number)
  }

  /** Returns the bytes after the proofs. */
  #opened(data) {
    while (this.#proof) {
      this.#line = Buffer.concat([this.#line, data])
      const feed = this.#line.indexOf(10)
      if (feed < 0) {
        if (this.#line.length > 130) throw new RangeError("the program at this address does not serve a board")
        return Buffer.alloc(0)
      }
      const line = this.#line.subarray(0, feed).toString("latin1")
      data = this.#line.subarray(feed + 1)
      this.#line = Buffer.alloc(0)
      if (this.#proof.server) this.#end(line)
      else this.#begin(line)
    }
    return data
  }

  #begin(line) {
    const digits = line.slice(GREETING.length)
    if (!line.startsWith(GREETING) || !/^[0-9a-f]{64}$/i.test(digits)) {
      throw new RangeError("the program at this address does not serve a board")
    }
    this.#proof.server = Buffer.from(digits, "hex")
    const [number, code] = [this.#proof.number, this.#code("client proves")].map(bytes => bytes.toString("hex"))
    this.outgoing.push(Buffer.from(`${number} ${code}\n`))
  }

  #end(line) {
    const [given, expected] = [Buffer.from(line, "hex"), this.#code("server proves")]
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new RangeError("the server has a different key")
    }
    this.#framing.seal(this.#code("client speaks"), this.#code("server speaks"))
    this.#proof = undefined
    for (const message of this.#held) this.send(message)
  }
}

/** A session over a stream. */
export class StreamSession extends Session {
  constructor(now, { key, number, ...options } = {}) {
    super(now, new StreamWire(key, number), options)
  }

  /** Returns the bytes to be sent, and removes them. */
  takeOutgoing() {
    return Buffer.concat(super.takeOutgoing())
  }
}
