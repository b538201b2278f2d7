// TimedLink: a session and a board with two clocks, of which the host's is the true one.

import BridgeLink

/// A link in virtual time whose session follows the board's clock.
public protocol TimedLink: AnyObject {
    /// The current time on the host's clock.
    var now: HostTime { get }
    /// The running playback, or the last one.
    var playback: Playback? { get }
    /// A closure that is called for each estimate of the board's clock that the session makes.
    var onClockSample: ((ClockEstimate<DeviceTime>) -> Void)? { get set }

    /// Connects. Returns false if that fails.
    func connect() -> Bool
    /// Begins to play and returns at once.
    func begin(_ bytes: [UInt8], start: Playback.StartTime)
    /// Runs until a condition holds. Returns false if it does not hold by `limit`, in host time.
    func run(until limit: HostTime, _ condition: (Self) -> Bool) -> Bool
    /// Returns the error of an estimate of the device's clock for the time `host`, in microseconds.
    func error(of estimate: ClockEstimate<DeviceTime>, at host: HostTime) -> Double
    /// Returns the levels that reached the chip since `start`, or shortly before, with the
    /// microseconds from there on the host's clock.
    func levels(since start: HostTime) -> [(time: Double, value: UInt8)]
}
