// TimedLink: a session and a board with two clocks. Times are relative to the host's clock.

import BridgeLink

/// A link in virtual time whose session tracks the board's clock.
public protocol TimedLink: AnyObject {
    /// The current time of the host's clock.
    var now: HostTime { get }
    /// The running playback, or the last playback if no playback is running.
    var playback: Playback? { get }
    /// A closure that is called for each estimate of the board's clock that the session makes.
    var onClockSample: ((ClockEstimate<DeviceTime>) -> Void)? { get set }

    /// Connects. Returns false on failure.
    func connect() -> Bool
    /// Begins to play a stream, and returns immediately.
    func begin(_ bytes: [UInt8], start: Playback.StartTime)
    /// Runs until a condition is true. Returns false if the condition is not true by `limit`, in
    /// host time.
    func run(until limit: HostTime, _ condition: (Self) -> Bool) -> Bool
    /// Returns the error, in microseconds, that an estimate of the device's clock has at the host
    /// time `host`.
    func error(of estimate: ClockEstimate<DeviceTime>, at host: HostTime) -> Double
    /// Returns the levels that were written to the chip from shortly before `start` on. Their times
    /// are relative to `start`, in microseconds of the host's clock.
    func levels(since start: HostTime) -> [(time: Double, value: UInt8)]
}
