// Performs the steps of a file with the JavaScript client, in Node and in a page.

// The time, in seconds, between the sending of a command and its due time.
const LEAD = 0.15

const sleep = seconds => new Promise(fulfill => setTimeout(fulfill, seconds * 1000))

/**
 * Performs steps with a started engine. The function `pattern` returns the pattern of a given kind (`named` or `file`)
 * and name. The function `print` prints the time of a call.
 */
export async function perform(text, engine, pattern, print) {
  const until = async time => {
    const rest = time - engine.currentTime
    if (rest > 0) await sleep(rest)
  }
  const origin = engine.currentTime + 0.5
  const players = {}
  for (const line of text.split("\n")) {
    const words = line.split(" ")
    if (["", "#", "due"].includes(words[0])) continue
    let time = 0
    if (/^\d/.test(words[0])) {
      time = origin + Number(words.shift())
      await until(time - (words[0] === "call" ? 0 : LEAD))
    }
    const [command, number, ...rest] = words
    const player = players[number]
    const values = rest.map(Number).filter(value => !Number.isNaN(value))
    const commands = {
      async player() {
        players[number] = engine.makePlayer(await pattern(...rest))
      },
      call() {
        print(engine.currentTime - origin)
        player.start()
      },
      async load() {
        const begin = engine.currentTime
        for (let call = 0; call < values[0] * 1000; call++) {
          await until(begin + call / 1000)
          player.sendParameters([{ id: "HapticIntensityControl", value: 0.5 + 0.4 * Math.sin(call / 160) }])
        }
      },
      start: () => player.start(time, { offset: values[0] ?? 0 }),
      stop: () => player.stop(time),
      pause: () => player.pause(time),
      resume: () => player.resume(time),
      parameter: () => player.sendParameters([{ id: rest[0], value: values[0] }], time),
      curve() {
        const points = []
        for (let index = 0; index < values.length; index += 2) points.push([values[index], values[index + 1]])
        player.scheduleParameterCurve({ id: rest[0], points }, time)
      },
      rate() { player.playbackRate = values[0] },
      loop() {
        player.loopEnd = values[0]
        player.loopEnabled = true
      },
      mute() { player.isMuted = values[0] !== 0 },
      seek: () => player.seek(values[0]),
      cancel: () => player.cancel(),
      finish: () => engine.finished(player),
    }
    if (!(command in commands)) throw new Error(`unknown step: ${line}`)
    await commands[command]()
  }
}
