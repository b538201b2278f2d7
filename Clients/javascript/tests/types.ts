// A program that uses every declaration. The program is only type-checked and never run.
import * as page from "../browser"
import {
  HapticEngine, HapticError, HapticErrorCode, HapticEvent, HapticOutput, HapticPattern, HapticPatternPlayer, faultNames,
} from "../index"

async function play(): Promise<string[]> {
  const engine: HapticEngine = new HapticEngine({ port: "tcp://studio:7600", keyFile: "studio.key", locality: "leftHandle" })
  const names: string[] = []
  engine.on("event", (event: HapticEvent) => {
    if (event.type === "faults") names.push(...faultNames(event.faults), ...event.advice)
    if (event.type === "finished") names.push(...event.players.map(String))
    if (event.type === "stopped" && event.error?.code === HapticErrorCode.notSupported) names.push(event.error.reason)
  })
  try {
    await engine.start()
  } catch (error) {
    if (error instanceof HapticError) names.push(...error.advice, ...error.faultNames)
  }
  const pattern = new HapticPattern({ Pattern: [] })
  const options = { loopEnabled: true, loopEnd: 1, playbackRate: 2, isMuted: false, isLimited: true }
  const player: HapticPatternPlayer = engine.makePlayer(pattern, options)
  player.start(engine.currentTime + 0.5, { offset: 0.1 })
  player.sendParameters([{ id: "HapticIntensityControl", value: 0.5, time: 0.1 }])
  player.scheduleParameterCurve({ id: "HapticSharpnessControl", points: [[0, 0], [1, -1]] }, engine.currentTime)
  player.playbackRate = 1.5
  player.isMuted = true
  player.pause()
  player.resume(engine.currentTime + 1)
  player.seek(0.5)
  player.cancel()
  player.stop()
  player.release()
  await engine.finished(engine.playPattern(HapticPattern.named(HapticPattern.names()[0])))
  await engine.finished(engine.playPattern("pattern.ahap", engine.currentTime + 1))
  await engine.stop()
  return names
}

async function playInPage(): Promise<number> {
  const engine = new page.HapticEngine({ address: "ws://127.0.0.1:7601/?key=0", locality: "default", program: "page" })
  await engine.start()
  const pattern = await page.HapticPattern.fromURL("pattern.ahap")
  await engine.finished(engine.playPattern(pattern))
  await engine.finished(engine.playPattern(page.HapticPattern.named(page.HapticPattern.names()[0])))
  const output: HapticOutput | undefined = await engine.makePlayer(pattern).output(engine.currentTime + 0.02)
  return (output?.intensity ?? 0) + (await engine.output()).sharpness
}

export { play, playInPage }
