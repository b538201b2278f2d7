// StreamShare: the part of a board that the stream of one engine takes, beside those of others.

import BridgeLink

/// A stream of a board, and its event memory.
struct StreamShare {
    /// The number of the stream.
    let stream: UInt8
    /// The event memory of the stream, in bytes. The share of the memory equals the share of the
    /// actuators, but leaves the minimum for a stream on each other actuator.
    let memory: UInt16

    /// Chooses a free stream for actuators.
    ///
    /// - Parameter others: the streams of the other engines on the board.
    /// - Throws: `HapticError` if another engine uses one of the actuators, or if all streams are
    ///   in use.
    init(
        of actuators: ActuatorMask, on welcome: Welcome, beside others: [LiveStream]
    ) throws(HapticError) {
        if let shared = others.lazy.map({ actuators.intersection($0.actuators) }).first(where: {
            !$0.isEmpty
        }) {
            throw HapticError(
                .serverInitFailed,
                "actuator \(shared.indices[0]) is in use by another engine of this program; stop that "
                    + "engine, or play on one engine")
        }
        let streams = 0..<welcome.streams
        guard
            let free = streams.first(where: { number in !others.contains { $0.stream == number } })
        else {
            throw HapticError(
                .serverInitFailed,
                "the board is in use by another engine of this program, and plays for "
                    + "\(streams.count) at once; stop that, or play on one engine")
        }
        stream = free
        let (own, all) = (actuators.indices.count, Int(welcome.actuators))
        let total = Int(welcome.eventMemory)
        let share = min(total * own / all, total - (all - own) * LiveStream.memoryMin)
        memory = UInt16(max(share, LiveStream.memoryMin))
    }
}
