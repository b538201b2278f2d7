// SoundWindow: frames, and the host times at which they play.

import BridgeLink
import HapticPatterns

/// A range of frames with the host times at which they play.
package struct SoundWindow: Sendable, Equatable {
    /// The host time at which the first frame plays, in microseconds.
    package var start: Double
    /// The time from one frame to the next, in microseconds.
    package var step: Double
    /// The number of frames.
    package var count: Int

    /// Creates a window.
    package init(start: Double, step: Double, count: Int) {
        (self.start, self.step, self.count) = (start, step, count)
    }

    /// The host time after the last frame, in microseconds.
    var end: Double { start + step * Double(count) }

    /// Returns the index of the first frame at or after a host time, 0...count.
    ///
    /// Host times are whole microseconds, so the time of a frame is rounded up. As a result, a span
    /// that extends from the end of one window to the end of the next has the same boundaries as
    /// that window.
    func frame(at time: HostTime) -> Int {
        let distance = ((Double(time.microseconds) - 1 - start) / step).rounded(.down) + 1
        return Int(min(max(distance, 0), Double(count)))
    }

    /// Returns the host time of a frame, in microseconds.
    func time(of frame: Int) -> Double { start + step * Double(frame) }
}
