// The connection to the server of a board: its socket, its key, and its start.
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import {
  accessSync, constants, existsSync, lstatSync, readFileSync, readdirSync, realpathSync, statSync,
} from "node:fs"
import { connect as connectSocket } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, resolve } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { HapticError, HapticErrorCode as Code } from "./errors.js"

const SOCKET_MAX = 102
const START_TIME = 5
const PORT_IN_USE = 75

/** Returns the current time of this process, in seconds. */
export function currentTime() {
  return Number(process.hrtime.bigint()) / 1e9
}

function socketFolder() {
  const user = process.geteuid()
  for (const path of [process.env.XDG_RUNTIME_DIR ?? "", `/run/user/${user}`]) {
    const status = path.startsWith("/") ? statSync(path, { throwIfNoEntry: false }) : undefined
    const isShort = Buffer.byteLength(path) <= SOCKET_MAX - "/haptic-bridge/".length - 16
    if (isShort && status?.isDirectory() && status.uid === user) return `${path}/haptic-bridge`
  }
  return `${tmpdir()}/haptic-bridge-${user}`
}

/** Returns the path of the socket of the board at a port. */
export function socketPath(port) {
  const real = existsSync(port) ? realpathSync(port) : resolve(port)
  const name = real.slice(1).replaceAll("/", "+")
  const path = `${socketFolder()}/${name}`
  if (Buffer.byteLength(path) <= SOCKET_MAX) return path
  return `${socketFolder()}/${createHash("sha256").update(name).digest("hex").slice(0, 16)}`
}

function opened(options) {
  return new Promise((fulfill, reject) => {
    const socket = connectSocket(options)
    socket.setTimeout(START_TIME * 1000, () => socket.destroy(new Error("the computer does not answer")))
    socket.once("connect", () => {
      socket.setTimeout(0)
      socket.removeListener("error", reject)
      fulfill(socket)
    })
    socket.once("error", reject)
  })
}

/** Returns a connection to a socket of this user; undefined if no process serves it. */
async function openedLocal(path) {
  const folder = lstatSync(path.slice(0, path.lastIndexOf("/")), { throwIfNoEntry: false })
  if (folder?.uid !== process.geteuid() || folder.mode & 0o077) return undefined
  return opened({ path }).catch(() => undefined)
}

function notServed(reason, advice) {
  return new HapticError(Code.serverInitFailed, reason, { advice: [advice] })
}

async function onlyServed() {
  const folder = socketFolder()
  const served = []
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const socket = await openedLocal(`${folder}/${name}`)
    if (socket) served.push({ name, socket })
  }
  if (served.length === 1) return served[0].socket
  for (const { socket } of served) socket.destroy()
  throw served.length === 0
    ? notServed("no board is served, and no port is given",
      "name the port, set BRIDGE_PORT, or run `bridge serve`")
    : notServed(`several boards are served: ${served.map(({ name }) => name).join(", ")}`,
      "name the port of one of them")
}

/** The program that serves boards: the program that BRIDGE_SERVER names, or by default `haptic-bridge` in PATH. */
function program() {
  if (process.env.BRIDGE_SERVER !== undefined) return process.env.BRIDGE_SERVER || undefined
  const paths = (process.env.PATH ?? "").split(delimiter).map(folder => `${folder}/haptic-bridge`)
  return paths.find(path => {
    try {
      accessSync(path, constants.X_OK)
      return path.startsWith("/")
    } catch {
      return false
    }
  })
}

async function connectLocal(port) {
  const path = socketPath(port)
  const socket = await openedLocal(path)
  if (socket) return socket
  if (!existsSync(port)) {
    throw new HapticError(Code.notSupported, `${port}: there is no such port`, {
      advice: ["connect the board; `bridge list` lists the ports"] })
  }
  const found = program()
  const command = `bridge serve --port ${port}`
  if (!found) {
    throw notServed(
      `no program serves the board at ${port}`,
      `run \`${command}\`, or install bridge so that haptic-bridge is in PATH`)
  }
  const server = spawn(
    resolve(found), ["serve", "--port", resolve(port), "--until-idle"], { detached: true, stdio: "ignore", cwd: "/" })
  let status
  server.once("error", () => { status = -1 })
  server.once("exit", code => { status = code ?? -1 })
  server.unref()
  const end = currentTime() + START_TIME
  while (currentTime() < end && (status === undefined || status === PORT_IN_USE)) {
    const served = await openedLocal(path)
    if (served) return served
    await sleep(status === undefined ? 5 : 50)
  }
  throw notServed(`${found} does not serve the board at ${port}`, `run \`${command}\`, which shows the reason`)
}

function readKey(path) {
  let key
  try {
    const status = statSync(path)
    if (process.geteuid && (status.mode & 0o077 || ![0, process.geteuid()].includes(status.uid))) {
      throw new Error("other users can read this key file; protect it with `chmod 600`")
    }
    key = readFileSync(path, "latin1").replace(/\s/g, "")
    if (!/^[0-9a-f]{64}$/i.test(key)) throw new Error("not a key of 64 hexadecimal digits")
  } catch (error) {
    throw notServed(`${path}: ${error.message}`, "`bridge serve --tcp` creates a key; copy its file")
  }
  return Buffer.from(key, "hex")
}

/** Returns a connection to the server of a port, and the key if the server is on another computer. */
export async function connect(port = process.env.BRIDGE_PORT, keyFile = process.env.BRIDGE_KEY_FILE) {
  if (!port?.startsWith("tcp://")) {
    if (!process.geteuid) {
      throw notServed("boards connected to this computer cannot be used on Windows",
        "use a board on another computer, at tcp://HOST:PORT")
    }
    return { socket: port ? await connectLocal(port) : await onlyServed() }
  }
  if (!keyFile) throw notServed(`${port}: no key is given`, "name the key file, or set BRIDGE_KEY_FILE")
  const key = readKey(keyFile)
  try {
    const { hostname, port: number } = new URL(port.replace("tcp:", "http:"))
    const socket = await opened({ host: hostname.replace(/^\[|\]$/g, ""), port: Number(number || 80), noDelay: true })
    return { socket, key }
  } catch (error) {
    throw new HapticError(Code.notSupported, `${port}: ${error.message}`, {
      advice: ["the address is tcp://HOST:PORT; at the board, run `bridge serve --tcp`"] })
  }
}
