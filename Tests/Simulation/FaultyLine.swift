// FaultyLine: one direction of a line: the delivery of bytes, and the faults that affect the bytes.

import BridgeLink
import TestSupport

struct FaultyLine {
    private var model: LineDelays
    private var random: SeededGenerator
    private var noise: (bytes: Int, until: Microseconds) = (0, 0)
    private var losing = 0
    private var repeating = 0
    private var stalledUntil: Microseconds = 0
    private var cutUntil: Microseconds = 0
    private var lastRelease: Microseconds = 0

    init(_ kind: LineDelays.Kind, seed: UInt64) {
        model = LineDelays(kind, seed: seed)
        random = SeededGenerator(seed: seed ^ 0x5EED)
    }

    mutating func noise(bytes: Int, until time: Microseconds) { noise = (bytes, time) }
    mutating func lose(_ count: Int) { losing = count }
    mutating func repeated(_ count: Int) { repeating = count }
    mutating func stall(until time: Microseconds) { stalledUntil = time }
    mutating func cut(until time: Microseconds) { cutUntil = time }

    /// Sends bytes at `time`. Returns the bytes that are delivered, and the time of their delivery.
    mutating func carry(_ bytes: [UInt8], at time: Microseconds) -> (Microseconds, [UInt8]) {
        lastRelease = max(lastRelease, model.release(of: max(time, stalledUntil)))
        return (lastRelease, time < cutUntil ? [] : bytes.flatMap { carry($0, at: time) })
    }

    private mutating func carry(_ byte: UInt8, at time: Microseconds) -> [UInt8] {
        if losing > 0 {
            losing -= 1
            return []
        }
        guard repeating == 0 else {
            repeating -= 1
            return [byte, byte]
        }
        guard time < noise.until, random.chance(oneIn: noise.bytes) else { return [byte] }
        return [byte ^ 1 << UInt8.random(in: 0...7, using: &random)]
    }
}
