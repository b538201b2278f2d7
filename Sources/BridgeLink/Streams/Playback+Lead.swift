// Playback+Lead: the time that actuators take to wake before the first event of a stream.

extension Playback {
    /// Returns the shortest time from START to the first event, in microseconds. An actuator wakes
    /// in two register writes, which take 0.2 ms on the bus. The rest of the time allows a slow
    /// microcontroller to render ahead.
    package static func shortestLead(on actuators: ActuatorMask) -> UInt32 {
        5_000 + UInt32(wakingTime(of: actuators))
    }

    /// Returns the additional time that several actuators take to wake compared with one, in
    /// microseconds. They wake one after another. A slow microcontroller needs up to 2 ms for each.
    package static func wakingTime(of actuators: ActuatorMask) -> Microseconds {
        2_500 * Microseconds(max(0, actuators.indices.count - 1))
    }
}
