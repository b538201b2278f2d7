// Playback+Lead: the time that actuators take to wake before the first event of a stream.

extension Playback {
    /// Returns the shortest time from START to the first event, in microseconds. A chip wakes in
    /// six transfers, for which a slow microcontroller with a multiplexer needs up to 4.5 ms while
    /// it receives events. In the remaining time, the microcontroller receives and renders the
    /// first events.
    ///
    /// - Parameter count: the number of actuators of the board.
    package static func shortestLead(on actuators: ActuatorMask, of count: Int) -> Int32 {
        count > 1 ? 3_000 + 4_500 * Int32(actuators.indices.count) : 5_000
    }

    /// Returns the additional time that several actuators take to wake compared with one actuator,
    /// in microseconds. The actuators wake one after another. A slow microcontroller needs up to 2
    /// ms for each of them; the result includes 2.5 ms for each additional actuator.
    package static func wakingTime(of actuators: ActuatorMask) -> Microseconds {
        2_500 * Microseconds(max(0, actuators.indices.count - 1))
    }
}
